// SPDX-License-Identifier: Apache-2.0
// A margin search's runs in a study's file, so that a search that was stopped goes on.
#pragma once

#include "longarm/study/margin/margin.h"
#include "longarm/study/store.h"

namespace longarm::study {

class StoreCache final : public RunCache {
 public:
  /// Borrows the store.
  explicit StoreCache(Store& store) : store_(store) {}

  std::optional<nlohmann::ordered_json> find(const std::string& identity) override {
    return store_.document("trial " + identity);
  }
  void store(const std::string& identity, const nlohmann::ordered_json& result) override {
    store_.put_document("trial " + identity, result);
  }

 private:
  Store& store_;
};

}  // namespace longarm::study
