#pragma once

#include "net/test_loop.hpp"

#include <weft/base/json.hpp>
#include <weft/net/http_client.hpp>
#include <weft/serve/server.hpp>
#include <weft/store/item_store.hpp>
#include <weft/store/memory_store.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct answer {
    int status = 0;
    weft::http_headers headers;
    std::string body;
    [[nodiscard]] boost::json::value json() const { return weft::parse_json(body); }
};

inline weft::task<answer> fetch(weft::http_client client, weft::http_request request)
{
    weft::http_response response = co_await client.send(std::move(request));
    answer got;
    got.status = response.status();
    got.headers = response.head().headers;
    got.body = co_await response.read_all(1024 * 1024);
    co_return got;
}

/** A life of a server on a store. */
class life {
public:
    life(test_loop& where, weft::memory_store& store, std::vector<weft::served_graph> graphs,
         weft::server_options options = weft::server_options{}, weft::item_store* items = nullptr)
        : life{where, weft::server_stores{store, items}, std::move(graphs), std::move(options)}
    {
    }
    life(test_loop& where, weft::server_stores stores, std::vector<weft::served_graph> graphs,
         weft::server_options options = weft::server_options{})
        : where_{where}, server_{where.loop(), stores, std::move(graphs), std::move(options)},
          at_{server_.listen(weft::listen_address{"127.0.0.1:0"})}, running_{where, server_.run()}
    {
    }

    answer send(std::string method, std::string_view target, std::string body = {},
                std::string_view type = "application/json", std::string_view origin = {})
    {
        weft::http_request request = request_to(std::move(method), target);
        if (!body.empty()) request.body(std::move(body), type);
        if (!origin.empty()) request.header("Origin", origin);
        return send(std::move(request));
    }
    answer send(weft::http_request request)
    {
        started got{where_, fetch(client_, std::move(request))};
        return got.result();
    }
    [[nodiscard]] weft::http_request request_to(std::string method, std::string_view target) const
    {
        const std::string text = "http://127.0.0.1:" + std::to_string(at_.port()) + std::string{target};
        return weft::http_request{std::move(method), weft::url{text}};
    }
    answer post(std::string_view target, std::string body) { return send("POST", target, std::move(body)); }
    [[nodiscard]] weft::server& server() noexcept { return server_; }

    [[nodiscard]] std::uint16_t port() const { return at_.port(); }
    void drain()
    {
        server_.drain();
        where_.run_until([this] { return running_.is_done(); });
    }
    /** As a process that is killed: nothing is told to the store. */
    void kill() { running_.destroy(); }

private:
    test_loop& where_;
    weft::http_client client_;
    weft::server server_;
    weft::listen_address at_;
    started<void> running_;
};
