// SPDX-License-Identifier: Apache-2.0
// What somebody wants: how many kits of which kind, and with what in them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "labs/kitting/ontology.h"
#include "longarm/core/fields.h"

namespace longarm::kitting {

/// So many parts of a kind.
struct PartCount {
  std::string part;  ///< its kind
  std::int64_t count = 0;
};

struct KitRequest {
  std::string name;  ///< of the kind of kit: "m2l1"
  std::int64_t count = 1;
  std::vector<std::string> contents{};  ///< "2 medium_gear"; empty: every slot filled
};

struct Request {
  std::vector<KitRequest> kits;
};

/// kits: {m2l1: {count: 2}, s2l2: {count: 1, contents: [2 small_gear]}}
void list_fields(Fields& fields, Request& request);

/// What is wrong with it given what there is: unknown kits and parts, more than fit.
/// Each message comes with a hint.
struct RequestRemark {
  std::string key;  ///< "kits.m2l1.contents"
  std::string message;
  std::string hint;
};
std::vector<RequestRemark> check_request(const Request& request, const Ontology& ontology);

/// What a kit is to have in it; one entry per kind of part, in the order of the tray's slots.
std::vector<PartCount> contents_of(const KitRequest& kit, const Ontology& ontology);

}  // namespace longarm::kitting
