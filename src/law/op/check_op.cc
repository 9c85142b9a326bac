#include <espalier/law/check_op.h>

#include "law/op/laws.h"

namespace espalier {

std::vector<std::string> broken_laws(const OpInfo& op) {
  std::vector<std::string> found;
  const std::vector<Sample> samples = op.samples();
  if (samples.empty()) found.push_back(std::string(op.doc.name) + " has no samples: no law was checked");
  for (const law::OpLaw& law : law::op_laws())
    for (size_t i = 0; i < samples.size(); ++i)
      for (Device device : {Device::ref(), Device::cpu()}) {
        if (law.needs_another && device == Device::ref()) continue;
        std::string broken;
        try {
          broken = law.broken({&op, i, samples[i]}, device);
        } catch (const Error& e) {
          broken = e.what();
        }
        if (!broken.empty())
          found.push_back(std::string(law.name) + "/" + std::string(op.doc.name) + "/" + std::to_string(i) + "/" +
                          str(device) + ": " + broken);
      }
  return found;
}

}  // namespace espalier
