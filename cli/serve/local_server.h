// A server of one page, for a browser on this machine. It knows who may ask, how much and how slowly, not what is
// asked.
//
//     LocalServer server(0);
//     if (!server.why().empty()) ...
//     print(server.address());    // http://127.0.0.1:41233/0f5e...c2/
//     server.run([](const PageRequest& request) { return PageReply{...}; });
//
// It listens on 127.0.0.1 alone. A request is refused that names another host (a name that was made to point here),
// comes from a page of another origin, lacks the token of the address, or has another method than GET and POST.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace cli {

struct PageRequest {
  std::string path;  // behind the token: "" of the page itself, "plan.json"
  std::string body;  // of a POST
};

struct PageReply {
  unsigned status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string text = {};
};

struct ServerLimits {
  size_t body_bytes = 1 << 20;
  uint32_t header_bytes = 16 << 10;
  size_t answers = 3;                                                 // at once
  int connections = 64;                                               // open at once
  std::chrono::milliseconds request_time = std::chrono::seconds(10);  // until all of a request is there
  std::chrono::milliseconds reply_time = std::chrono::seconds(10);    // until all of a reply is taken
};

class LocalServer {
 public:
  /// Listens on this port; 0: on a free one.
  explicit LocalServer(uint16_t port, const ServerLimits& limits = {});
  ~LocalServer();
  LocalServer(const LocalServer&) = delete;
  LocalServer& operator=(const LocalServer&) = delete;

  /// Why it does not listen: "address already in use". Empty: it does.
  const std::string& why() const;
  /// The address of the page, with its port and token; ends in '/'.
  const std::string& address() const;

  /// Answers requests, in threads other than this one, until SIGINT, SIGTERM, SIGHUP or `stop`. An answer that throws
  /// is the status 500.
  void run(const std::function<PageReply(const PageRequest&)>& answer);
  /// Ends `run`. Any thread may call it.
  void stop();

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace cli
