// SHA-256 checksums.
#pragma once
#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace espalier::app {

class Sha256 {
 public:
  Sha256();
  void add(std::string_view bytes);
  std::string hex();  // of all bytes added; call it once

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

}  // namespace espalier::app
