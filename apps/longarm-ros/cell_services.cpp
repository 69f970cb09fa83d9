// SPDX-License-Identifier: Apache-2.0
// Each answers when the cell has.
#include "apps/longarm-ros/cell_services.h"

#include <algorithm>
#include <cstdint>

#include <longarm_msgs/SetParameter.h>
#include <longarm_msgs/Step.h>
#include <std_srvs/Trigger.h>

namespace longarm::ros_port {
namespace {

template <typename Response>
bool answer(Response& response, const std::string& error) {
  response.success = error.empty();
  response.message = error;
  return true;
}

}  // namespace

CellServices::CellServices(ros::NodeHandle& node, Requests& requests) {
  using std_srvs::TriggerRequest;
  using std_srvs::TriggerResponse;
  for (const char* what : {"pause", "resume", "reset"}) {
    servers_.push_back(node.advertiseService<TriggerRequest, TriggerResponse>(
        std::string("longarm/") + what,
        [&requests, what](TriggerRequest&, TriggerResponse& response) {
          return answer(response, requests.ask_and_wait({{"do", what}}));
        }));
  }
  servers_.push_back(node.advertiseService<longarm_msgs::StepRequest, longarm_msgs::StepResponse>(
      "longarm/step",
      [&requests](longarm_msgs::StepRequest& request, longarm_msgs::StepResponse& response) {
        const auto steps = std::max<std::uint64_t>(request.steps, 1);
        return answer(response, requests.ask_and_wait({{"do", "step"}, {"steps", steps}}));
      }));
  servers_.push_back(
      node.advertiseService<longarm_msgs::SetParameterRequest, longarm_msgs::SetParameterResponse>(
          "longarm/set_parameter", [&requests](longarm_msgs::SetParameterRequest& request,
                                               longarm_msgs::SetParameterResponse& response) {
            const Json value = Json::parse(request.value, nullptr, false);
            if (value.is_discarded()) {
              return answer(response, "the value is not JSON, such as 0.02, true or [1, 2]");
            }
            return answer(response,
                          requests.ask_and_wait(
                              {{"do", "set"}, {"parameter", request.name}, {"value", value}}));
          }));
}

}  // namespace longarm::ros_port
