// SPDX-License-Identifier: Apache-2.0
// A program for tests: `serve PORT BYTES` answers every BYTES with as many (0: with nothing) until
// the other end closes; `call HOST PORT COUNT BYTES` calls that often; `send HOST PORT BYTES` sends
// after 100 ms and keeps the connection open.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

void need(bool is_good, const char* what) {
  if (!is_good) {
    std::perror(what);
    std::exit(1);
  }
}

void send_at_once(int socket) {
  const int on = 1;
  need(setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0, "setsockopt");
}

int listen_and_accept(int port) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<unsigned short>(port));
  need(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0, "bind");
  need(listen(listener, 1) == 0, "listen");
  const int client = accept(listener, nullptr, nullptr);
  need(client >= 0, "accept");
  return client;
}

int connect_to(const char* host, const char* port) {
  addrinfo wanted{};
  wanted.ai_family = AF_INET;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  need(getaddrinfo(host, port, &wanted, &found) == 0, "getaddrinfo");
  const int server = socket(AF_INET, SOCK_STREAM, 0);
  send_at_once(server);
  need(connect(server, found->ai_addr, found->ai_addrlen) == 0, "connect");
  freeaddrinfo(found);
  return server;
}

void write_all(int socket, std::size_t size) {
  const std::vector<char> bytes(size, 'x');
  for (std::size_t done = 0; done < size;) {
    const ssize_t count = write(socket, bytes.data() + done, size - done);
    need(count > 0, "write");
    done += static_cast<std::size_t>(count);
  }
}

/// False: the other end has closed.
bool read_all(int socket, std::size_t size) {
  std::vector<char> bytes(size == 0 ? 65536 : size);
  for (std::size_t done = 0; size == 0 || done < size;) {
    const ssize_t count = read(socket, bytes.data(), bytes.size() - done % bytes.size());
    need(count >= 0, "read");
    if (count == 0) {
      return false;
    }
    done += static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

int main(int count, char** words) {
  if (count < 4) {
    return 2;
  }
  if (std::strcmp(words[1], "serve") == 0) {
    const auto size = static_cast<std::size_t>(std::atol(words[3]));
    const int client = listen_and_accept(std::atoi(words[2]));
    send_at_once(client);
    while (read_all(client, size)) {
      write_all(client, size);
    }
    return 0;
  }
  timespec start{};
  clock_gettime(CLOCK_MONOTONIC, &start);
  const int server = connect_to(words[2], words[3]);
  const auto size = static_cast<std::size_t>(std::atol(words[count - 1]));
  if (std::strcmp(words[1], "call") == 0) {
    for (int left = std::atoi(words[4]); left > 0; --left) {
      write_all(server, size);
      need(read_all(server, size), "no answer");
    }
    return 0;
  }
  start.tv_nsec += 100'000'000;
  need(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &start, nullptr) == 0, "sleep");
  write_all(server, size);
  pause();
}
