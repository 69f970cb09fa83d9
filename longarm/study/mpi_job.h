// SPDX-License-Identifier: Apache-2.0
// A study shared over the ranks of an MPI job: rank 0 hands out points and takes the answers.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "longarm/study/workers.h"

namespace longarm::study {

/// MPI from its beginning to its end. Only the thread that made it calls it.
class MpiJob {
 public:
  /// Null if this process was not started by mpirun or srun, or as the only rank. Throws InputError
  /// if it was, but Longarm was built without MPI.
  static std::unique_ptr<MpiJob> join();
  virtual ~MpiJob() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Every rank says what it would work on; rank 0 gets all of it, the others nothing.
  struct Word {
    std::string text;
    std::string host;
  };
  virtual std::vector<Word> gather(const std::string& text) = 0;

  /// Rank 0: works with `threads` of its own and with all other ranks.
  virtual void work(const Work& work, int threads) = 0;
  /// Other ranks: until rank 0 lets them go.
  virtual void serve(const std::function<PointAnswer(std::size_t)>& answer, int threads) = 0;
  /// Rank 0: lets the others go; they end without a word. Called by the destructor, too.
  virtual void dismiss() = 0;
};

}  // namespace longarm::study
