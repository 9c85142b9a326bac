// Fields: a visitor of settings. One list of settings serves flags, the config file, the checkpoint and --help.
#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace espalier::app {

// Base class of visitors that read, write or show settings. add() binds a name to a variable, whose value is the
// default. Names are written with dashes: "word-dropout" is the flag --word-dropout and the key "word-dropout".
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
  // The value must be one of `choices`; empty: any text.
  virtual void add(const std::string& name, std::string& value, const std::vector<std::string>& choices,
                   const std::string& what) = 0;
};

}  // namespace espalier::app
