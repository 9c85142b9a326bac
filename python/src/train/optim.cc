// Optimisers, learning-rate schedules and moving averages. espalier/optim.py gives them PyTorch's arguments.
#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include "python/src/bindings.h"
#include "python/src/errors.h"
#include "python/src/train/optimizer.h"
#include "python/src/value/tensor.h"

namespace py = pybind11;

namespace espalier::python {
namespace {

template <class O, class Options>
std::unique_ptr<PythonOptimizer> make(const py::list& parameters, const Options& options) {
  auto group = std::make_shared<Group>(parameters);
  return std::make_unique<PythonOptimizer>(PythonOptimizer{group, O(group->all(), options)});
}

// Schedules in C++ are copied into the optimiser, so that a step calls no Python.
template <class S>
void add_schedule(py::class_<S>& type) {
  type.def("__call__", &S::operator());
  type.def("schedule", [](const S& s) { return optim::Schedule(s); });
}

void add_schedules(py::module_& m) {
  py::class_<optim::Schedule>(m, "Schedule").def("__call__", [](const optim::Schedule& s, uint64_t step) {
    return s(step);
  });
  py::class_<optim::StepLR> step(m, "StepLR");
  step.def(py::init<float, uint64_t, float>(), py::arg("lr"), py::arg("step_size"), py::arg("gamma") = 0.1f);
  add_schedule(step);
  py::class_<optim::ExponentialLR> exponential(m, "ExponentialLR");
  exponential.def(py::init<float, float>(), py::arg("lr"), py::arg("gamma"));
  add_schedule(exponential);
  py::class_<optim::CosineAnnealingLR> cosine(m, "CosineAnnealingLR");
  cosine.def(py::init<float, uint64_t, float>(), py::arg("lr"), py::arg("t_max"), py::arg("eta_min") = 0.f);
  add_schedule(cosine);
  py::class_<optim::LinearLR> linear(m, "LinearLR");
  linear.def(py::init<float, uint64_t, float, float>(), py::arg("lr"), py::arg("total_iters"),
             py::arg("start_factor") = 1.f / 3, py::arg("end_factor") = 1.f);
  add_schedule(linear);
  py::class_<optim::CyclicLR> cyclic(m, "CyclicLR");
  cyclic.def(py::init([](float base, float peak, uint64_t up, uint64_t down, const std::string& mode, float gamma) {
               optim::CyclicLROptions o{up, down, optim::CyclicMode::triangular, gamma};
               if (mode == "triangular2")
                 o.mode = optim::CyclicMode::triangular2;
               else if (mode == "exp_range")
                 o.mode = optim::CyclicMode::exp_range;
               else if (mode != "triangular")
                 throw Error("CyclicLR: mode '" + mode + "' must be triangular, triangular2 or exp_range");
               return optim::CyclicLR(base, peak, o);
             }),
             py::arg("base_lr"), py::arg("max_lr"), py::arg("step_size_up") = 2000, py::arg("step_size_down") = 0,
             py::arg("mode") = "triangular", py::arg("gamma") = 1.f);
  add_schedule(cyclic);
  py::class_<optim::WarmUp> warm(m, "WarmUp");
  warm.def(py::init([](uint64_t steps, const py::object& then, float start) {
             if (py::hasattr(then, "schedule"))
               return optim::WarmUp(steps, then.attr("schedule")().cast<optim::Schedule>(), start);
             throw_type_error("WarmUp: then must be a schedule of espalier.optim");
           }),
           py::arg("steps"), py::arg("then"), py::arg("start_factor") = 1.f / 3);
  add_schedule(warm);
  using Plateau = optim::ReduceLROnPlateau;
  py::class_<Plateau>(m, "ReduceLROnPlateau")
      .def(py::init([](float lr, const std::string& mode, float factor, uint64_t patience, float threshold,
                       const std::string& threshold_mode, uint64_t cooldown, float min_lr, float eps) {
             optim::ReduceLROnPlateauOptions o;
             if (mode != "min" && mode != "max")
               throw Error("ReduceLROnPlateau: mode '" + mode + "' must be min or max");
             o.mode = mode == "min" ? optim::ReduceLROnPlateauOptions::Mode::min
                                    : optim::ReduceLROnPlateauOptions::Mode::max;
             o.threshold_mode = threshold_mode == "abs" ? optim::ReduceLROnPlateauOptions::Threshold::absolute
                                                        : optim::ReduceLROnPlateauOptions::Threshold::relative;
             o.factor = factor;
             o.patience = patience;
             o.threshold = threshold;
             o.cooldown = cooldown;
             o.min_lr = min_lr;
             o.eps = eps;
             return Plateau(lr, o);
           }),
           py::arg("lr"), py::arg("mode") = "min", py::arg("factor") = 0.1f, py::arg("patience") = 10,
           py::arg("threshold") = 1e-4f, py::arg("threshold_mode") = "rel", py::arg("cooldown") = 0,
           py::arg("min_lr") = 0.f, py::arg("eps") = 1e-8f)
      .def("step", &Plateau::step, py::arg("metric"))
      .def_property_readonly("lr", &Plateau::lr)
      .def("state_dict", [](const Plateau& p) { return p.to_string(); })
      .def("load_state_dict", [](Plateau& p, const std::string& text) { p.from_string(text); });
}

void add_averages(py::module_& m) {
  py::class_<PythonAverage>(m, "MovingAverage")
      .def(py::init([](const py::list& parameters, float decay) {
        auto group = std::make_shared<Group>(parameters);
        return std::make_unique<PythonAverage>(PythonAverage{group, optim::MovingAverage(group->all(), decay)});
      }))
      .def("update", [](PythonAverage& a) { a.average.update(); })
      .def("step",
           [](PythonAverage& a, PythonOptimizer& o, const Gradients& g) {
             const Unlocked unlocked;
             a.average.step(o.optimizer, g);
           })
      .def("swap_in", [](PythonAverage& a) { a.average.swap_in(); })
      .def("swap_out", [](PythonAverage& a) { a.average.swap_out(); })
      .def_property_readonly("swapped_in", [](const PythonAverage& a) { return a.average.swapped_in(); })
      .def("tensors", [](const PythonAverage& a) {
        py::dict all;
        for (auto& [name, tensor] : a.average.tensors())
          all[py::str(name)] = py::reinterpret_steal<py::object>(checked(new_tensor(tensor)));
        return all;
      });
}

}  // namespace

void add_optimizers(py::module_& m) {
  py::class_<PythonOptimizer>(m, "Optimizer")
      .def("step",
           [](PythonOptimizer& o, const Gradients& g) {
             const Unlocked unlocked;
             o.optimizer.step(g);
           })
      .def_property(
          "lr", [](const PythonOptimizer& o) { return o.optimizer.lr(); },
          [](PythonOptimizer& o, float lr) { o.optimizer.set_lr(lr); })
      .def_property_readonly("steps", [](const PythonOptimizer& o) { return o.optimizer.steps(); })
      .def("set_schedule", [](PythonOptimizer& o, const optim::Schedule& s) { o.optimizer.set_schedule(s); })
      .def("group", [](PythonOptimizer& o, const std::string& glob, float factor, const std::optional<float>& decay) {
        o.optimizer.group(glob, factor, decay);
      });
  m.def("sgd", [](const py::list& p, float lr, float momentum, float decay, float clip, bool nesterov) {
    return make<optim::SGD>(p, optim::SGDOptions{lr, momentum, decay, clip, nesterov});
  });
  m.def("cyclical_sgd", [](const py::list& p, float base, float peak, uint64_t size, float gamma, float momentum,
                           float decay, float clip, bool nesterov) {
    return make<optim::CyclicalSGD>(
        p, optim::CyclicalSGDOptions{base, peak, size, gamma, momentum, decay, clip, nesterov});
  });
  m.def("adagrad", [](const py::list& p, float lr, float lr_decay, float decay, float initial, float eps, float clip) {
    return make<optim::Adagrad>(p, optim::AdagradOptions{lr, lr_decay, decay, initial, eps, clip});
  });
  m.def("adadelta", [](const py::list& p, float lr, float rho, float eps, float decay, float clip) {
    return make<optim::Adadelta>(p, optim::AdadeltaOptions{lr, rho, eps, decay, clip});
  });
  m.def("rmsprop", [](const py::list& p, float lr, float alpha, float eps, float decay, float momentum, bool centered,
                      float clip) {
    return make<optim::RMSprop>(p, optim::RMSpropOptions{lr, alpha, eps, decay, momentum, centered, clip});
  });
  m.def("adam",
        [](const py::list& p, float lr, float beta1, float beta2, float eps, float decay, float clip, bool amsgrad) {
          return make<optim::Adam>(p, optim::AdamOptions{lr, beta1, beta2, eps, decay, clip, amsgrad});
        });
  m.def("adamw",
        [](const py::list& p, float lr, float beta1, float beta2, float eps, float decay, float clip, bool amsgrad) {
          return make<optim::AdamW>(p, optim::AdamOptions{lr, beta1, beta2, eps, decay, clip, amsgrad});
        });
  add_schedules(m);
  add_averages(m);
}

}  // namespace espalier::python
