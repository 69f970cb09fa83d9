// SPDX-License-Identifier: Apache-2.0
// A study on the ranks of an MPI job: rank 0 distributes points and collects the answers.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "longarm/study/workers.h"

namespace longarm::study {

/// This process's part of an MPI job, from MPI_Init to MPI_Finalize. Use it only in the thread that
/// created it.
class MpiJob {
 public:
  /// Null if this process was not started by mpirun or srun, or is the only rank. Throws InputError
  /// if it was started that way but Longarm was built without MPI.
  static std::unique_ptr<MpiJob> join();
  virtual ~MpiJob() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// What a rank sends to rank 0 with gather().
  struct Word {
    std::string text;
    std::string host;
  };
  /// Sends `text` to rank 0, which receives those of all ranks; the others receive nothing.
  virtual std::vector<Word> gather(const std::string& text) = 0;

  /// Rank 0: runs `work` on `threads` threads of its own and on all other ranks.
  virtual void work(const Work& work, int threads) = 0;
  /// Other ranks: answers points until rank 0 calls dismiss().
  virtual void serve(const std::function<PointAnswer(std::size_t)>& answer, int threads) = 0;
  /// Rank 0: ends serve() on the other ranks. The destructor calls it, too.
  virtual void dismiss() = 0;
};

}  // namespace longarm::study
