#include <cstdio>

#include <espalier/espalier.h>

int main() {
  std::printf("espalier %s\n", espalier::version().c_str());
  return espalier::version().empty();
}
