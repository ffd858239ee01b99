#include "cli/serve/local_server.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <csignal>
#include <optional>

namespace cli {

/// Where a server listens, and what a request has to say to be answered.
struct ServerDoor {
  std::string hosts[2];  // "127.0.0.1:41233", "localhost:41233"
  std::string token;

  bool is_host(std::string_view host) const { return host == hosts[0] || host == hosts[1]; }
};

namespace {

namespace net = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;
using net::ip::tcp;
using Request = http::request<http::string_body>;
using Reply = http::response<http::string_body>;

/// 128 random bits, as hexadecimal digits.
std::string new_token() {
  std::array<unsigned char, 16> bytes{};
  std::string token;
  if (getentropy(bytes.data(), bytes.size()) == 0)
    for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

/// Takes the same time wherever the texts differ: nobody can guess the token digit by digit.
bool is_equal(std::string_view a, std::string_view b) {
  unsigned differs = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    differs |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  return differs == 0;
}

std::string_view text_of(boost::beast::string_view text) { return {text.data(), text.size()}; }

/// What the page may load: nothing but what this server sends.
constexpr std::array<std::pair<const char*, const char*>, 4> kHeaders{{
    {"Cache-Control", "no-store"},
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src data:; "
     "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
}};

PageReply refusal(http::status status, std::string why) {
  return {static_cast<unsigned>(status), "text/plain; charset=utf-8", std::move(why) + "\n"};
}

/// The path behind the token; nullopt: it has another one, or none.
std::optional<std::string> path_behind(const std::string& token, std::string_view target) {
  target = target.substr(0, target.find('?'));
  const bool is_long_enough = target.size() >= token.size() + 2 && target[0] == '/';
  if (!is_long_enough || target[token.size() + 1] != '/' || !is_equal(target.substr(1, token.size()), token))
    return std::nullopt;
  return std::string(target.substr(token.size() + 2));
}

/// Why a request is refused; nullopt: it is not.
std::optional<PageReply> refused(const Request& request, const ServerDoor& door) {
  constexpr std::string_view kScheme = "http://";
  const std::string_view host = text_of(request[http::field::host]), origin = text_of(request[http::field::origin]);
  if (!door.is_host(host))
    return refusal(http::status::misdirected_request, fmt::format("this server answers as {} only", door.hosts[0]));
  if (!origin.empty() && !(origin.starts_with(kScheme) && door.is_host(origin.substr(kScheme.size()))))
    return refusal(http::status::forbidden, "a page of another origin may not ask");
  if (request.method() != http::verb::get && request.method() != http::verb::post)
    return refusal(http::status::method_not_allowed, "only GET and POST");
  if (!path_behind(door.token, text_of(request.target())))
    return refusal(http::status::forbidden,
                   "the address lacks the token of this server: open the address that `trainplan serve` printed");
  return std::nullopt;
}

/// An answer that fails is no end of the server.
PageReply answer_of(const std::function<PageReply(const PageRequest&)>& answer, const PageRequest& asked) {
  try {
    return answer(asked);
  } catch (const std::bad_alloc&) {
    return refusal(http::status::internal_server_error, "out of memory: a smaller space or run takes less");
  } catch (const std::exception& error) {
    return refusal(http::status::internal_server_error, error.what());
  }
}

/// What a request that could not be read is answered; nullopt: nothing, its sender has gone.
std::optional<PageReply> misread(const error_code& error, const ServerLimits& limits, bool is_slow, bool has_begun) {
  if (is_slow && !has_begun) return std::nullopt;  // a connection that waits for its next request
  if (is_slow)
    return refusal(http::status::request_timeout,
                   fmt::format("the request took more than {} ms", limits.request_time.count()));
  if (error == http::error::body_limit)
    return refusal(http::status::payload_too_large,
                   fmt::format("the request has more than {} bytes", limits.body_bytes));
  if (error == http::error::header_limit)
    return refusal(http::status::request_header_fields_too_large,
                   fmt::format("the header has more than {} bytes", limits.header_bytes));
  const bool is_gone = error == http::error::end_of_stream || error == http::error::partial_message;
  const bool is_http = error.category() == http::make_error_code(http::error::bad_method).category();
  if (is_gone || !is_http) return std::nullopt;
  return refusal(http::status::bad_request, "this is no request of HTTP: " + error.message());
}

}  // namespace

// ---- the server

struct LocalServer::Inside {
  explicit Inside(const ServerLimits& limits) : limits(limits) {}

  ServerLimits limits;
  std::string why, address;
  ServerDoor door;
  std::function<PageReply(const PageRequest&)> answer = {};
  int connections = 0;
  net::io_context loop{1};
  tcp::acceptor acceptor{loop};
  net::signal_set ends{loop, SIGINT, SIGTERM, SIGHUP};  // one that comes before `run` ends it at once
  // Behind `loop` and ended before it: what it still runs posts to the loop.
  net::thread_pool workers{limits.answers};

  void listen(uint16_t port);
  void accept();
};

namespace {

/// One browser's connection: request after request.
template <class Server> class Connection : public std::enable_shared_from_this<Connection<Server>> {
 public:
  Connection(Server& server, tcp::socket socket) : server_(server), socket_(std::move(socket)), timer_(server.loop) {
    ++server_.connections;
  }
  ~Connection() { --server_.connections; }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start() {
    if (server_.connections <= server_.limits.connections) return read();
    keep_ = false;
    send(refusal(http::status::service_unavailable,
                 fmt::format("more than {} connections are open", server_.limits.connections)));
  }

 private:
  void read() {
    parser_.emplace();
    parser_->body_limit(server_.limits.body_bytes);
    parser_->header_limit(server_.limits.header_bytes);
    limit(server_.limits.request_time);
    http::async_read(socket_, buffer_, *parser_,
                     [self = this->shared_from_this()](error_code error, size_t) { self->on_read(error); });
  }

  void on_read(error_code error) {
    timer_.cancel();
    if (error) {
      keep_ = false;
      const bool has_begun = buffer_.size() > 0 || parser_->got_some();
      if (auto reply = misread(error, server_.limits, is_slow_, has_begun)) send(std::move(*reply));
      return;
    }
    const Request& request = parser_->get();
    keep_ = request.keep_alive();
    version_ = request.version();
    if (auto no = refused(request, server_.door)) {
      keep_ = false;
      return send(std::move(*no));
    }
    PageRequest asked{*path_behind(server_.door.token, text_of(request.target())), request.body()};
    // A command may take seconds. Meanwhile the loop reads and refuses.
    net::post(server_.workers, [self = this->shared_from_this(), asked = std::move(asked)] {
      PageReply reply = answer_of(self->server_.answer, asked);
      net::post(self->server_.loop, [self, reply = std::move(reply)]() mutable { self->send(std::move(reply)); });
    });
  }

  void send(PageReply reply) {
    reply_ = Reply(static_cast<http::status>(reply.status), version_);
    reply_.set(http::field::content_type, reply.type);
    for (const auto& [name, value] : kHeaders) reply_.set(name, value);
    reply_.keep_alive(keep_);
    reply_.body() = std::move(reply.text);
    reply_.prepare_payload();
    limit(server_.limits.reply_time);
    http::async_write(socket_, reply_,
                      [self = this->shared_from_this()](error_code error, size_t) { self->on_written(error); });
  }

  void on_written(error_code error) {
    timer_.cancel();
    if (error) return;
    if (keep_) return read();
    error_code unasked;
    socket_.shutdown(tcp::socket::shutdown_send, unasked);
    limit(server_.limits.reply_time);
    drain();
  }

  /// Takes what is still sent, so that the sender reads the reply: to close now would reset the connection.
  void drain() {
    buffer_.clear();
    socket_.async_read_some(buffer_.prepare(kDrained), [self = this->shared_from_this()](error_code error, size_t) {
      if (!error && !self->is_slow_) self->drain();
    });
  }

  /// What is under way on the socket ends after this time.
  void limit(std::chrono::milliseconds time) {
    is_slow_ = false;
    timer_.expires_after(time);
    timer_.async_wait([weak = this->weak_from_this()](error_code cancelled) {
      const auto self = weak.lock();
      if (cancelled || !self) return;
      self->is_slow_ = true;
      error_code unasked;
      self->socket_.cancel(unasked);
    });
  }

  static constexpr size_t kDrained = 16 << 10;

  Server& server_;
  tcp::socket socket_;
  net::steady_timer timer_;
  boost::beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  Reply reply_;
  unsigned version_ = 11;
  bool keep_ = true, is_slow_ = false;
};

}  // namespace

void LocalServer::Inside::listen(uint16_t port) {
  const tcp::endpoint here(net::ip::address_v4::loopback(), port);
  error_code error;
  acceptor.open(here.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);  // of a server that has just ended
  if (!error) acceptor.bind(here, error);
  if (!error) acceptor.listen(net::socket_base::max_listen_connections, error);
  door.token = new_token();
  if (error || door.token.empty()) {
    why = error ? error.message() : "the system has no random numbers";
    return;
  }
  const uint16_t bound = acceptor.local_endpoint().port();
  door.hosts[0] = fmt::format("127.0.0.1:{}", bound);
  door.hosts[1] = fmt::format("localhost:{}", bound);
  address = fmt::format("http://{}/{}/", door.hosts[0], door.token);
}

void LocalServer::Inside::accept() {
  acceptor.async_accept([this](error_code error, tcp::socket socket) {
    if (error == net::error::operation_aborted) return;
    if (!error) std::make_shared<Connection<Inside>>(*this, std::move(socket))->start();
    accept();
  });
}

LocalServer::LocalServer(uint16_t port, const ServerLimits& limits) : inside_(std::make_unique<Inside>(limits)) {
  inside_->listen(port);
}

LocalServer::~LocalServer() = default;

const std::string& LocalServer::why() const { return inside_->why; }

const std::string& LocalServer::address() const { return inside_->address; }

void LocalServer::run(const std::function<PageReply(const PageRequest&)>& answer) {
  inside_->answer = answer;
  inside_->ends.async_wait([this](error_code error, int) {
    if (!error) stop();
  });
  inside_->accept();
  inside_->loop.run();
  inside_->workers.join();
}

void LocalServer::stop() { inside_->loop.stop(); }

}  // namespace cli
