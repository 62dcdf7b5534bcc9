#pragma once

#include "tls_peer.hpp"
#include "test_loop.hpp"

#include <weft/net/http_client.hpp>
#include <weft/testing/test_certificates.hpp>

#include <string>
#include <utility>

/** What the tests of the HTTP client share: a CA of their own, servers with its certificates, clients that trust it. */
namespace http_fixture {

inline const weft::testing::certificate_authority& authority()
{
    static const weft::testing::certificate_authority ca;
    return ca;
}

inline tls_peer_options secure(const weft::testing::certificate_options& options = {})
{
    const auto leaf = authority().issue(options);
    return {.certificate_pem = leaf.certificate_pem, .key_pem = leaf.key_pem};
}

/** Options of a server with TLS or without. */
inline tls_peer_options with_tls(bool is_secure) { return is_secure ? secure() : tls_peer_options{}; }

inline weft::http_client_options trusting(weft::http_client_options options = {})
{
    options.tls.ca_pem = authority().certificate_pem();
    return options;
}

inline weft::http_client trusting_client() { return weft::http_client{trusting()}; }

/** Answers every request of a connection with what it was sent. */
inline void echo(peer_connection& connection)
{
    for (;;) connection.write(response_of(connection.read_request()));
}

struct answer {
    int status;
    std::string body;
};

/** Sends a request and reads the whole response. */
inline weft::task<answer> fetch(weft::http_client client, weft::http_request request)
{
    weft::http_response response = co_await client.send(std::move(request));
    std::string body = co_await response.read_all(8 * 1024 * 1024);
    co_return answer{response.status(), std::move(body)};
}

inline weft::task<answer> fetch(weft::http_client client, weft::url target)
{
    return fetch(std::move(client), weft::http_request{"GET", std::move(target)});
}

/** Fetches and gives the body. */
inline std::string body_of(test_loop& loop, const weft::http_client& client, const weft::url& target)
{
    started fetched{loop, fetch(client, target)};
    return fetched.result().body;
}

/** Sends a GET and gives the response once its head is there. */
inline weft::http_response response_from(test_loop& loop, const weft::http_client& client, const weft::url& target)
{
    started sent{loop, client.send(weft::http_request{"GET", target})};
    return sent.result();
}

/** Answers every request with the number of its connection. */
inline void tell_number(peer_connection& connection)
{
    for (;;) {
        (void)connection.read_request();
        connection.write(response_of(std::to_string(connection.number())));
    }
}

}  // namespace http_fixture
