#pragma once

#include "net/test_loop.hpp"

#include <weft/async/task.hpp>
#include <weft/net/http_server.hpp>

#include <string>
#include <utility>
#include <vector>

/** Another system, to which a server sends what happens: it keeps the requests. */
class hook_receiver {
public:
    explicit hook_receiver(test_loop& where)
        : server_{where.loop(), [this](weft::http_call& call) { return take(*this, call); }},
          at_{server_.listen(weft::listen_address{"127.0.0.1:0"})}, running_{where, server_.run()}
    {
    }
    [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(at_.port()) + "/hook"; }

    std::vector<std::string> bodies;
    std::vector<weft::http_headers> headers;
    int status = 204;

private:
    static weft::task<void> take(hook_receiver& self, weft::http_call& call)
    {
        self.headers.push_back(call.headers());
        self.bodies.push_back(co_await call.read_body());
        weft::http_reply answer{self.status};
        co_await call.reply(std::move(answer));
    }

    weft::http_server server_;
    weft::listen_address at_;
    started<void> running_;
};
