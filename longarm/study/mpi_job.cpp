// SPDX-License-Identifier: Apache-2.0
// Few messages: a point to a rank, and its answer back, which asks for the next one.
#include "longarm/study/mpi_job.h"

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <utility>

#include "longarm/core/diagnostic.h"
#include "longarm/study/thread_team.h"

#ifdef LONGARM_HAS_MPI
#include <mpi.h>
#endif

namespace longarm::study {
namespace {

/// What mpirun and srun leave in the environment of those they start.
bool is_started_by_mpi() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"}) {
    if (std::getenv(name) != nullptr) {
      return true;
    }
  }
  return false;
}

#ifdef LONGARM_HAS_MPI

enum Tag : int { kPoint = 1, kAnswer = 2 };
constexpr std::uint64_t kNoMore = std::numeric_limits<std::uint64_t>::max();
/// How long to sleep on our own queue before looking for messages again.
constexpr auto kLookForMessages = std::chrono::microseconds(300);
/// A point in hand while the answer to another is on its way keeps a thread busy.
constexpr int kPointsPerThread = 2;

class OpenMpiJob final : public MpiJob {
 public:
  OpenMpiJob() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~OpenMpiJob() override {
    if (rank_ == 0) {
      dismiss();
    }
    MPI_Finalize();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::vector<Word> gather(const std::string& text) override;
  void work(const Work& work, int threads) override;
  void serve(const std::function<PointAnswer(std::size_t)>& answer, int threads) override;
  void dismiss() override;

 private:
  void send(int rank, Tag tag, const std::string& bytes) {
    MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, rank, tag, MPI_COMM_WORLD);
  }
  void send_point(int rank, std::uint64_t point) {
    MPI_Send(&point, 1, MPI_UINT64_T, rank, kPoint, MPI_COMM_WORLD);
  }
  /// From whom, and the bytes; nothing if no such message waits.
  std::optional<std::pair<int, std::string>> receive(Tag tag, bool waits);

  int rank_ = 0;
  int size_ = 1;
  bool is_dismissed_ = false;
};

std::optional<std::pair<int, std::string>> OpenMpiJob::receive(Tag tag, bool waits) {
  MPI_Status status;
  int is_there = 1;
  if (waits) {
    MPI_Probe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
  } else {
    MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &is_there, &status);
  }
  if (is_there == 0) {
    return std::nullopt;
  }
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  MPI_Recv(bytes.data(), size, MPI_BYTE, status.MPI_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return std::pair{status.MPI_SOURCE, std::move(bytes)};
}

std::vector<MpiJob::Word> OpenMpiJob::gather(const std::string& text) {
  char host[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  MPI_Get_processor_name(host, &length);
  const std::string mine = std::string(host, static_cast<std::size_t>(length)) + '\n' + text;
  if (rank_ != 0) {
    send(0, kAnswer, mine);
    return {};
  }
  std::vector<std::string> all(static_cast<std::size_t>(size_));
  all[0] = mine;
  for (int i = 1; i < size_; ++i) {
    auto [rank, bytes] = *receive(kAnswer, true);
    all[static_cast<std::size_t>(rank)] = std::move(bytes);
  }
  std::vector<Word> words;
  for (const std::string& each : all) {
    const std::size_t line = each.find('\n');
    words.push_back({each.substr(line + 1), each.substr(0, line)});
  }
  return words;
}

void OpenMpiJob::work(const Work& work, int threads) {
  PointQueue queue(work.points);
  queue.close();
  ThreadTeam team(queue, work.answer, threads);
  const StopAtEnd stop{queue};
  int in_hand = 0;
  const auto hand_out = [&](int rank) {
    if (const std::optional<std::size_t> point = queue.try_take()) {
      send_point(rank, *point);
      ++in_hand;
    }
  };
  for (int i = 0; i < kPointsPerThread * threads; ++i) {
    for (int rank = 1; rank < size_; ++rank) {
      hand_out(rank);
    }
  }
  while (!team.is_over() || in_hand > 0) {
    if (std::optional<PointAnswer> answer = team.next(kLookForMessages)) {
      work.take(std::move(*answer));
    }
    while (const auto message = receive(kAnswer, false)) {
      --in_hand;
      hand_out(message->first);
      work.take(PointAnswer::from_bytes(message->second));
    }
    if (work.is_stopped && work.is_stopped()) {
      queue.stop();
    }
  }
}

void OpenMpiJob::serve(const std::function<PointAnswer(std::size_t)>& answer, int threads) {
  PointQueue queue;
  ThreadTeam team(queue, answer, threads);
  const StopAtEnd stop{queue};
  while (!team.is_over()) {
    if (const std::optional<PointAnswer> done = team.next(kLookForMessages)) {
      send(0, kAnswer, done->to_bytes());
    }
    while (const auto message = receive(kPoint, false)) {
      std::uint64_t point = kNoMore;
      std::copy_n(message->second.begin(), sizeof point, reinterpret_cast<char*>(&point));
      if (point == kNoMore) {
        queue.stop();
      } else {
        queue.push(point);
      }
    }
  }
}

void OpenMpiJob::dismiss() {
  if (std::exchange(is_dismissed_, true)) {
    return;
  }
  for (int rank = 1; rank < size_; ++rank) {
    send_point(rank, kNoMore);
  }
}

#endif  // LONGARM_HAS_MPI

}  // namespace

std::unique_ptr<MpiJob> MpiJob::join() {
  if (!is_started_by_mpi()) {
    return nullptr;
  }
#ifdef LONGARM_HAS_MPI
  auto job = std::make_unique<OpenMpiJob>();
  return job->size() > 1 ? std::move(job) : nullptr;
#else
  throw InputError(Diagnostic{{},
                              "this longarm was built without MPI",
                              "install libopenmpi-dev and rebuild, or start it without mpirun"});
#endif
}

}  // namespace longarm::study
