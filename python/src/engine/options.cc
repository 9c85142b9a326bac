#include "python/src/engine/options.h"

#include "python/src/errors.h"

namespace espalier::python {

Device to_device(const std::string& text, const std::string& who) {
  if (text == "cpu") return Device::cpu();
  if (text == "ref") return Device::ref();
  if (text == "null") return Device::null();
  if (text == "cuda") return Device::cuda();
  if (text.starts_with("cuda:")) {
    const std::string number = text.substr(5);
    if (!number.empty() && number.size() < 4 && number.find_first_not_of("0123456789") == std::string::npos)
      return Device::cuda(std::stoi(number));
  }
  throw OptionError(who + ": device", text, "cpu, cuda, cuda:N, ref or null");
}
Policy to_policy(const std::string& text) {
  for (const Policy p : {Policy::none, Policy::depth, Policy::agenda, Policy::automatic})
    if (text == name(p)) return p;
  throw OptionError("Engine: policy", text, "auto, agenda, depth or none");
}
Precision to_precision(const std::string& text) {
  if (text == "f32") return Precision::f32;
  if (text == "tf32") return Precision::tf32;
  if (text == "bf16") return Precision::bf16;
  throw OptionError("Engine: precision", text, "f32, tf32 or bf16");
}

}  // namespace espalier::python
