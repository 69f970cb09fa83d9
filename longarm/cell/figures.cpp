// SPDX-License-Identifier: Apache-2.0
// Follows the dots of a name.
#include "longarm/cell/figures.h"

#include <algorithm>
#include <utility>

namespace longarm::cell {

using Json = nlohmann::ordered_json;

const Json* find_metric(const Json& results, const std::string& name) {
  const Json* at = &results;
  std::size_t begin = 0;
  while (begin <= name.size()) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    if (!at->is_object()) {
      return nullptr;
    }
    const auto found = at->find(name.substr(begin, end - begin));
    if (found == at->end()) {
      return nullptr;
    }
    at = &*found;
    begin = end + 1;
  }
  return at;
}

Json* find_metric(Json& results, const std::string& name) {
  return const_cast<Json*>(find_metric(std::as_const(results), name));
}

}  // namespace longarm::cell
