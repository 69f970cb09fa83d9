// SPDX-License-Identifier: Apache-2.0
// One thread for all sockets, a few that work out answers, so that a long one keeps nobody waiting.
#include "longarm/view/web_server.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <fmt/format.h>

namespace longarm::view {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using namespace std::chrono_literals;
using Request = http::request<http::empty_body>;
using Response = http::response<http::string_body>;

constexpr auto kTick = 25ms;
constexpr auto kPatience = 30s;
constexpr auto kSilence = 5s;
constexpr std::size_t kMostHeader = 16 * 1024;
constexpr std::size_t kMostMessage = 64 * 1024;  // of a client
constexpr int kAnswerThreads = 4;

std::string decoded(std::string_view text) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'                 ? c - '0'
           : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                : -1;
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 &&
        digit(text[i + 2]) >= 0) {
      out += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

WebRequest parsed(std::string_view target) {
  WebRequest request;
  const std::size_t mark = target.find('?');
  request.path = decoded(target.substr(0, mark));
  std::string_view rest = mark == target.npos ? std::string_view() : target.substr(mark + 1);
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    const std::size_t equals = pair.find('=');
    request.query[decoded(pair.substr(0, equals))] =
        equals == pair.npos ? "" : decoded(pair.substr(equals + 1));
  }
  return request;
}

std::string_view view_of(beast::string_view text) {
  return {text.data(), text.size()};
}

class Server;

/// One WebSocket.
class Talk final : public WebSocketClient, public std::enable_shared_from_this<Talk> {
 public:
  Talk(tcp::socket socket, Server& server, std::shared_ptr<void> slot)
      : slot_(std::move(slot)), stream_(std::move(socket)), server_(server) {}

  void accept(const Request& request, std::string protocol);
  void tick();
  void stop();

  void send_text(std::string message) override { send(true, std::move(message)); }
  void send_bytes(std::string message) override { send(false, std::move(message)); }
  std::size_t waiting() const override { return waiting_; }
  void close() override;

 private:
  struct Message {
    bool is_text = false;
    std::string content;
  };

  void begin(const std::string& protocol);
  void send(bool is_text, std::string message);
  void write_next();
  void read_next();
  void end();

  std::shared_ptr<void> slot_;
  websocket::stream<beast::tcp_stream> stream_;
  Server& server_;
  std::unique_ptr<Conversation> conversation_;
  beast::flat_buffer buffer_;
  std::deque<Message> output_;
  std::size_t waiting_ = 0;
  bool is_over_ = false;
};

class Server final : public WebServer {
 public:
  Server(WebServerConfig config, Answer answer, Welcome welcome)
      : config_(std::move(config)),
        answer_(std::move(answer)),
        welcome_(std::move(welcome)),
        acceptor_(context_),
        timer_(context_),
        workers_(kAnswerThreads) {}
  ~Server() override {
    if (thread_.joinable()) {
      asio::post(context_, [this] { stop(); });
      thread_.join();
    }
    workers_.join();
  }

  /// Empty, or why not.
  std::string open() {
    beast::error_code problem;
    const tcp::endpoint where(asio::ip::address_v4::loopback(), config_.port);
    acceptor_.open(where.protocol(), problem);
    if (!problem) {
      acceptor_.set_option(tcp::acceptor::reuse_address(true), problem);
    }
    if (!problem) {
      acceptor_.bind(where, problem);
    }
    if (!problem) {
      acceptor_.listen(asio::socket_base::max_listen_connections, problem);
    }
    if (problem) {
      return fmt::format("cannot serve pages at 127.0.0.1:{}: {}", config_.port, problem.message());
    }
    port_ = acceptor_.local_endpoint().port();
    accept_next();
    tick_later();
    thread_ = std::thread([this] { context_.run(); });
    return {};
  }

  std::uint16_t port() const override { return port_; }

  // --- for those who talk
  const WebServerConfig& config() const { return config_; }
  asio::thread_pool& workers() { return workers_; }
  WebAnswer answered(const WebRequest& request) const {
    try {
      return answer_(request);
    } catch (const std::exception& problem) {
      return {500, "text/plain; charset=utf-8",
              fmt::format("internal error: {}\n", problem.what())};
    }
  }
  const Welcome& welcome() const { return welcome_; }
  void add(const std::shared_ptr<Talk>& talk) { talks_.insert(talk); }
  void remove(const std::shared_ptr<Talk>& talk) { talks_.erase(talk); }
  /// A place for one more client, which is free again when nobody holds it; null: there is none.
  std::shared_ptr<void> take_slot() {
    if (clients_ >= config_.max_clients) {
      return nullptr;
    }
    ++clients_;
    return {this, [this](void*) { --clients_; }};
  }

  /// Why a request is refused; nothing if it is not.
  std::optional<std::string> objection(const Request& request, bool is_socket) const {
    const std::string host(view_of(request[http::field::host]));
    const std::vector<std::string> names{fmt::format("127.0.0.1:{}", port_),
                                         fmt::format("localhost:{}", port_)};
    if (std::find(names.begin(), names.end(), host) == names.end()) {
      return fmt::format("this server only answers as http://{}/", names.front());
    }
    const std::string origin(view_of(request[http::field::origin]));
    const bool is_own =
        origin.empty() || origin == "http://" + names[0] || origin == "http://" + names[1];
    const bool is_welcome = is_socket && std::find(config_.origins.begin(), config_.origins.end(),
                                                   origin) != config_.origins.end();
    if (!is_own && !is_welcome) {
      return fmt::format("pages of {} may not read this server", origin);
    }
    return std::nullopt;
  }

  std::string protocol_for(const Request& request) const {
    const std::string offered(view_of(request[http::field::sec_websocket_protocol]));
    for (const std::string& each : config_.protocols) {
      for (std::size_t at = 0; at < offered.size();) {
        const std::size_t comma = std::min(offered.find(',', at), offered.size());
        std::string one = offered.substr(at, comma - at);
        std::erase(one, ' ');
        if (one == each) {
          return each;
        }
        at = comma + 1;
      }
    }
    return {};
  }

 private:
  void accept_next();
  void tick_later() {
    timer_.expires_after(kTick);
    timer_.async_wait([this](beast::error_code problem) {
      if (problem) {
        return;
      }
      const auto talks = talks_;  // who ends leaves the set
      for (const std::shared_ptr<Talk>& talk : talks) {
        talk->tick();
      }
      tick_later();
    });
  }
  void stop() {
    beast::error_code ignored;
    acceptor_.close(ignored);
    timer_.cancel();
    const auto talks = talks_;
    for (const std::shared_ptr<Talk>& talk : talks) {
      talk->stop();
    }
    context_.stop();
  }

  WebServerConfig config_;
  Answer answer_;
  Welcome welcome_;
  std::atomic<std::size_t> clients_{0};  // connections may end on a thread that worked for them
  asio::io_context context_{1};
  tcp::acceptor acceptor_;
  asio::steady_timer timer_;
  asio::thread_pool workers_;
  std::thread thread_;
  std::uint16_t port_ = 0;
  std::set<std::shared_ptr<Talk>> talks_;
};

/// One connection, question after question, until it becomes a WebSocket or ends.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, Server& server, std::shared_ptr<void> slot)
      : slot_(std::move(slot)), stream_(std::move(socket)), server_(server) {}

  void read_next() {
    parser_.emplace();
    parser_->header_limit(kMostHeader);
    parser_->body_limit(0);
    // browsers open connections in advance; those who say nothing must not keep others out
    stream_.expires_after(kSilence);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](beast::error_code problem, std::size_t) {
                       if (!problem) {
                         self->handle(self->parser_->release());
                       }
                     });
  }

 private:
  void handle(Request request) {
    const bool is_socket = websocket::is_upgrade(request);
    if (const auto objection = server_.objection(request, is_socket)) {
      respond({403, "text/plain; charset=utf-8", *objection + "\n"}, request);
      return;
    }
    if (is_socket) {
      const std::string protocol = server_.protocol_for(request);
      if (protocol.empty() || !server_.welcome()) {
        respond({400, "text/plain; charset=utf-8", "unsupported WebSocket subprotocol\n"}, request);
        return;
      }
      stream_.expires_never();
      std::make_shared<Talk>(stream_.release_socket(), server_, slot_)->accept(request, protocol);
      return;
    }
    if (request.method() != http::verb::get && request.method() != http::verb::head) {
      respond({405, "text/plain; charset=utf-8", "only GET is supported\n"}, request);
      return;
    }
    stream_.expires_never();
    asio::post(server_.workers(), [self = shared_from_this(), request = std::move(request)] {
      WebAnswer answer = self->server_.answered(parsed(view_of(request.target())));
      asio::post(self->stream_.get_executor(),
                 [self, request, answer = std::move(answer)]() mutable {
                   self->respond(std::move(answer), request);
                 });
    });
  }

  void respond(WebAnswer answer, const Request& request) {
    auto response =
        std::make_shared<Response>(static_cast<http::status>(answer.status), request.version());
    response->set(http::field::content_type, answer.type);
    response->set(http::field::cache_control, "no-store");
    response->set("X-Content-Type-Options", "nosniff");
    response->set("Cross-Origin-Resource-Policy", "same-origin");
    response->set("X-Frame-Options", "DENY");
    if (!answer.problem.empty()) {
      response->set("Longarm-Problem", answer.problem);
    }
    response->keep_alive(request.keep_alive());
    response->body() = std::move(answer.body);
    response->prepare_payload();
    if (request.method() == http::verb::head) {
      response->body().clear();
    }
    stream_.expires_after(kPatience);
    http::async_write(
        stream_, *response,
        [self = shared_from_this(), response](beast::error_code problem, std::size_t) {
          if (!problem && response->keep_alive()) {
            self->read_next();
          }
        });
  }

  std::shared_ptr<void> slot_;
  beast::tcp_stream stream_;
  Server& server_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::empty_body>> parser_;
};

void Server::accept_next() {
  acceptor_.async_accept([this](beast::error_code problem, tcp::socket socket) {
    if (problem == asio::error::operation_aborted || !acceptor_.is_open()) {
      return;
    }
    std::shared_ptr<void> slot = problem ? nullptr : take_slot();
    if (slot) {
      beast::error_code ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      std::make_shared<Session>(std::move(socket), *this, std::move(slot))->read_next();
    }
    accept_next();
  });
}

void Talk::accept(const Request& request, std::string protocol) {
  stream_.set_option(websocket::stream_base::timeout{kPatience, kPatience, true});
  stream_.set_option(
      websocket::stream_base::decorator([protocol](websocket::response_type& response) {
        response.set(http::field::sec_websocket_protocol, protocol);
      }));
  stream_.read_message_max(kMostMessage);
  stream_.async_accept(request, [self = shared_from_this(), protocol](beast::error_code problem) {
    if (!problem) {
      self->begin(protocol);
    }
  });
}

void Talk::begin(const std::string& protocol) {
  conversation_ = server_.welcome()(protocol, *this);
  if (!conversation_) {
    close();
    return;
  }
  server_.add(shared_from_this());
  read_next();
  conversation_->tick();
}

void Talk::tick() {
  if (!is_over_ && conversation_) {
    conversation_->tick();
  }
}

void Talk::send(bool is_text, std::string message) {
  if (is_over_) {
    return;
  }
  if (waiting_ + message.size() > server_.config().max_waiting) {
    end();  // it has stopped reading
    return;
  }
  waiting_ += message.size();
  output_.push_back({is_text, std::move(message)});
  if (output_.size() == 1) {
    write_next();
  }
}

void Talk::write_next() {
  stream_.text(output_.front().is_text);
  stream_.async_write(asio::buffer(output_.front().content),
                      [self = shared_from_this()](beast::error_code problem, std::size_t) {
                        if (problem || self->is_over_) {
                          self->end();
                          return;
                        }
                        self->waiting_ -= self->output_.front().content.size();
                        self->output_.pop_front();
                        if (!self->output_.empty()) {
                          self->write_next();
                        }
                      });
}

void Talk::read_next() {
  stream_.async_read(buffer_, [self = shared_from_this()](beast::error_code problem, std::size_t) {
    if (problem || self->is_over_) {
      self->end();
      return;
    }
    const std::string message = beast::buffers_to_string(self->buffer_.data());
    self->buffer_.consume(self->buffer_.size());
    self->conversation_->hear(self->stream_.got_text(), message);
    self->read_next();
  });
}

void Talk::close() {
  stream_.async_close(websocket::close_code::normal,
                      [self = shared_from_this()](beast::error_code) { self->end(); });
}

void Talk::stop() {
  end();
}

void Talk::end() {
  if (is_over_) {
    return;
  }
  is_over_ = true;
  server_.remove(shared_from_this());
  beast::error_code ignored;
  beast::get_lowest_layer(stream_).socket().close(ignored);
}

}  // namespace

Result<std::unique_ptr<WebServer>> WebServer::make(WebServerConfig config, Answer answer,
                                                   Welcome welcome) {
  auto server = std::make_unique<Server>(std::move(config), std::move(answer), std::move(welcome));
  if (std::string problem = server->open(); !problem.empty()) {
    return Error{std::move(problem)};
  }
  return std::unique_ptr<WebServer>(std::move(server));
}

}  // namespace longarm::view
