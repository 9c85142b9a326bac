// espalier._smiles: reads SMILES with RDKit. An extension of its own, built only if RDKit is found, so that the package
// itself does not need RDKit.
#include <espalier/base/file_error.h>
#include <espalier/smiles/smiles.h>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;

namespace espalier::python {
namespace {

py::tuple parts_of(const data::Molecule& molecule) {
  py::list atoms, bonds;
  for (const data::Atom& a : molecule.atoms)
    atoms.append(py::make_tuple(a.element, a.degree, a.charge, a.hydrogens, a.radicals, a.smallest_ring,
                                static_cast<int>(a.hybridisation), static_cast<int>(a.chirality), a.aromatic));
  for (const data::Bond& b : molecule.bonds)
    bonds.append(py::make_tuple(py::make_tuple(b.ends[0], b.ends[1]), static_cast<int>(b.order),
                                static_cast<int>(b.stereo), b.conjugated, b.in_ring));
  return py::make_tuple(atoms, bonds);
}

py::tuple read_table(const std::string& path, const std::vector<std::string>& targets, const std::string& column) {
  smiles::Examples examples;
  {
    const py::gil_scoped_release unlocked;
    examples = smiles::read(path, {targets, column});
  }
  py::list rows;
  for (const smiles::Example& e : examples.rows) rows.append(py::make_tuple(e.smiles, parts_of(e.molecule), e.targets));
  return py::make_tuple(rows, examples.refused);
}

void set(const char* name, const char* what) {
  PyErr_SetString(py::module_::import("espalier._core").attr(name).ptr(), what);
}

}  // namespace
}  // namespace espalier::python

PYBIND11_MODULE(_smiles, m) {
  using namespace espalier;
  using namespace espalier::python;
  py::register_local_exception_translator([](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const FileError&) {
      throw;  // to the translator of _core
    } catch (const DataError& e) {
      set("DataError", e.what());
    } catch (const Error& e) {
      set("Error", e.what());
    }
  });
  m.def("parse", [](const std::string& text) { return parts_of(smiles::parse(text)); });
  m.def("scaffold", [](const std::string& text) { return smiles::scaffold(text); });
  m.def("read", &read_table);
}
