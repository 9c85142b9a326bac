// Fields: settings, each named once. Flags, the config file, the checkpoint and --help all come from one such list.
#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace espalier::app {

// Whoever wants to read, write or show settings; each add() binds a name to a variable, whose value is the default.
// Names are written with dashes: "word-dropout" is the flag --word-dropout and the key "word-dropout".
class Fields {
 public:
  virtual ~Fields() = default;
  struct Range {
    double least = 0, most = std::numeric_limits<double>::infinity();
  };
  virtual void add(const std::string& name, int& value, int least, const std::string& what) = 0;
  virtual void add(const std::string& name, uint64_t& value, const std::string& what) = 0;
  virtual void add(const std::string& name, double& value, Range range, const std::string& what) = 0;
  virtual void add(const std::string& name, bool& value, const std::string& what) = 0;
  // One of the choices; any text where there are none.
  virtual void add(const std::string& name, std::string& value, const std::vector<std::string>& choices,
                   const std::string& what) = 0;
};

}  // namespace espalier::app
