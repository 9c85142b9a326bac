#include <espalier/law/check_op.h>

#include "law/op/laws.h"

namespace espalier {

std::vector<std::string> broken_laws(const OpInfo& op) {
  std::vector<std::string> found;
  std::vector<law::OpCase> cases;
  for (const Sample& sample : op.samples()) cases.push_back({&op, cases.size(), sample});
  if (cases.empty()) found.push_back(std::string(op.doc.name) + " has no samples, so no law was checked");
  law::each_law(cases, [&](const std::string& name, const law::OpLaw& law, const law::OpCase& c, Device device) {
    std::string broken;
    try {
      broken = law.broken(c, device);
    } catch (const Error& e) {
      broken = e.what();
    }
    if (!broken.empty()) found.push_back(name + ": " + broken);
  });
  return found;
}

}  // namespace espalier
