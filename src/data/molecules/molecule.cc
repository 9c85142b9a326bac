#include <espalier/data/molecule.h>

#include <algorithm>

namespace espalier::data {

std::vector<std::vector<int>> Molecule::bonds_of_atoms() const {
  std::vector<std::vector<int>> of_atom(atoms.size());
  for (size_t b = 0; b < bonds.size(); ++b)
    for (int end : bonds[b].ends) of_atom[static_cast<size_t>(end)].push_back(static_cast<int>(b));
  return of_atom;
}

std::vector<AtomPair> pairs_within(const Molecule& molecule, int distance) {
  const auto bonds_of = molecule.bonds_of_atoms();
  std::vector<AtomPair> pairs;
  std::vector<int> seen_from(molecule.atoms.size(), -1);
  std::vector<AtomPair> reached;  // from the current atom, nearest first
  for (int from = 0; from < static_cast<int>(molecule.atoms.size()); ++from) {
    reached.assign(1, {{from, from}, 0, -1});
    seen_from[static_cast<size_t>(from)] = from;
    for (size_t next = 0; next < reached.size(); ++next) {
      const AtomPair way = reached[next];
      if (way.distance == distance) break;
      for (int b : bonds_of[static_cast<size_t>(way.ends[1])]) {
        const auto& ends = molecule.bonds[static_cast<size_t>(b)].ends;
        const int to = ends[0] == way.ends[1] ? ends[1] : ends[0];
        if (seen_from[static_cast<size_t>(to)] == from) continue;
        seen_from[static_cast<size_t>(to)] = from;
        reached.push_back({{from, to}, way.distance + 1, way.distance == 0 ? b : -1});
      }
    }
    const size_t begin = pairs.size();
    for (const AtomPair& p : reached)
      if (p.ends[1] > from) pairs.push_back(p);
    std::sort(pairs.begin() + static_cast<std::ptrdiff_t>(begin), pairs.end(),
              [](const AtomPair& a, const AtomPair& b) { return a.ends[1] < b.ends[1]; });
  }
  return pairs;
}

}  // namespace espalier::data
