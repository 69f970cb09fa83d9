// SPDX-License-Identifier: Apache-2.0
// Numbers them, so that answers are found again.
#include "apps/longarm-ros/requests.h"

#include <chrono>
#include <future>
#include <memory>
#include <utility>

namespace longarm::ros_port {
namespace {

constexpr std::chrono::seconds kLongestWait{20};

}  // namespace

void Requests::ask(Json request, Answer answer) {
  std::int64_t number = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    number = ++last_;
    waiting_[number] = std::move(answer);
  }
  request["id"] = number;
  // what is not sent is not answered, but the reader notices that the connection is lost
  connection_.send(request.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string Requests::ask_and_wait(Json request) {
  const auto result = std::make_shared<std::promise<std::string>>();
  std::future<std::string> future = result->get_future();
  ask(std::move(request), [result](const std::string& error) { result->set_value(error); });
  if (future.wait_for(kLongestWait) != std::future_status::ready) {
    return "the cell does not answer";
  }
  return future.get();
}

void Requests::take(const Json& line) {
  Answer answer;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = waiting_.find(line.at("answer").get<std::int64_t>());
    if (found == waiting_.end()) {
      return;
    }
    answer = std::move(found->second);
    waiting_.erase(found);
  }
  answer(line.value("error", ""));
}

void Requests::give_up(const std::string& why) {
  std::map<std::int64_t, Answer> waiting;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting.swap(waiting_);
  }
  for (const auto& [number, answer] : waiting) {
    answer(why);
  }
}

}  // namespace longarm::ros_port
