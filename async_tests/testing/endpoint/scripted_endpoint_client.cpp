#include "scripted_endpoint_client.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/write.hpp>
#include <boost/json/parse.hpp>

#include <array>

namespace endpoint_test {

namespace asio = boost::asio;
namespace ssl = asio::ssl;
using boost::system::error_code;

test_client::test_client(const trust& whom)
{
    tcp_.connect({asio::ip::address_v4::loopback(), whom.port});
    tcp_.set_option(asio::ip::tcp::no_delay{true});
    if (whom.ca_pem.empty()) return;
    tls_context_.add_certificate_authority(asio::buffer(whom.ca_pem));
    tls_context_.set_verify_mode(ssl::verify_peer);
    tls_.emplace(tcp_, tls_context_);
    tls_->set_verify_callback(ssl::host_name_verification{whom.host});
    if (whom.session) SSL_set_session(native(), whom.session);
    error_code error;
    tls_->handshake(ssl::stream_base::client, error);
    if (!error) return;
    const long verdict = SSL_get_verify_result(native());
    const bool is_trusted = verdict == X509_V_OK;
    handshake_error_ = is_trusted ? error.message() : X509_verify_cert_error_string(verdict);
    close();
}

// As a real client, that keeps the session: OpenSSL forgets it if the connection ends otherwise.
test_client::~test_client()
{
    if (tls_) SSL_set_shutdown(native(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
}

void test_client::send(std::string_view bytes)
{
    const asio::const_buffer all{bytes.data(), bytes.size()};
    error_code is_seen_when_reading;
    if (tls_)
        asio::write(*tls_, all, is_seen_when_reading);
    else
        asio::write(tcp_, all, is_seen_when_reading);
}

void test_client::ask(std::string_view json, std::string_view fields)
{
    send(request_text(json, fields));
}

bool test_client::read_more()
{
    if (ended_ != ended::not_yet) return false;
    std::array<char, 4096> buffer;
    error_code error;
    const std::size_t size = tls_ ? tls_->read_some(asio::buffer(buffer), error)
                                  : tcp_.read_some(asio::buffer(buffer), error);
    unread_.append(buffer.data(), size);
    if (!error) return true;
    if (error == asio::error::eof)
        ended_ = ended::properly;
    else
        ended_ = error == ssl::error::stream_truncated ? ended::cut : ended::reset;
    return size > 0;
}

bool test_client::read_until(std::string_view text, std::size_t from, std::size_t& at)
{
    while ((at = unread_.find(text, from)) == std::string::npos)
        if (!read_more()) return false;
    return true;
}

// Each chunk: its length in hexadecimal digits, a line end, its bytes, a line end. The last is empty.
void test_client::read_chunks(received_response& response, std::size_t from)
{
    std::size_t line = 0;
    while (read_until("\r\n", from, line)) {
        const std::size_t size = std::stoul(unread_.substr(from, line - from), nullptr, 16);
        receive_bytes(line + 2 + size + 2);
        if (unread_.size() < line + 2 + size + 2) return;
        response.body.append(unread_, line + 2, size);
        from = line + 2 + size + 2;
        response.is_complete = size == 0;
        if (!response.is_complete) continue;
        unread_.erase(0, from);
        return;
    }
}

received_response test_client::receive()
{
    received_response response;
    std::size_t end = 0;
    if (!read_until("\r\n\r\n", 0, end)) return response;
    response.head = unread_.substr(0, end + 4);
    if (response.has_field("transfer-encoding: chunked")) {
        read_chunks(response, end + 4);
        return response;
    }
    const std::size_t length = response.head.find("content-length: ");
    const std::size_t size =
        length == std::string::npos ? 0 : std::stoul(response.head.substr(length + 16));
    receive_bytes(end + 4 + size);
    response.body = unread_.substr(end + 4, size);
    response.is_complete = response.body.size() == size;
    unread_.erase(0, end + 4 + size);
    return response;
}

const std::string& test_client::receive_bytes(std::size_t count)
{
    while (unread_.size() < count && read_more()) {}
    return unread_;
}

bool test_client::receive_until(std::string_view text)
{
    std::size_t at = 0;
    return read_until(text, 0, at);
}

void test_client::close()
{
    error_code is_gone_already;
    tcp_.close(is_gone_already);
}

using namespace weft::testing;

std::string request_text(std::string_view json, std::string_view fields)
{
    std::string request = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n";
    request.append("Content-Length: ").append(std::to_string(json.size())).append("\r\n");
    return request.append(fields).append("\r\n").append(json);
}

std::string chat(const std::string& user, bool wants_stream, const std::string& system)
{
    return R"({"model":"m","stream":)" + std::string{wants_stream ? "true" : "false"} +
           R"(,"messages":[{"role":"system","content":")" + system +
           R"("},{"role":"user","content":")" + user + R"("}]})";
}

scripted_endpoint_options plain()
{
    return scripted_endpoint_options{}.transport(scripted_transport::plain);
}

test_client::trust trust(const scripted_endpoint& endpoint)
{
    return {endpoint.port(), endpoint.ca_pem()};
}

test_client::trust without_tls(const scripted_endpoint& endpoint) { return {endpoint.port(), {}}; }

std::string text_of(const std::string& body)
{
    const boost::json::value reply = boost::json::parse(body);
    return reply.at("choices").at(0).at("message").at("content").as_string().c_str();
}

std::string answer(const scripted_endpoint& endpoint, const std::string& json)
{
    test_client client{without_tls(endpoint)};
    client.ask(json);
    const received_response response = client.receive();
    return response.status() == 200 ? text_of(response.body)
                                    : "status " + std::to_string(response.status());
}

std::size_t events_in(const std::string& body)
{
    std::size_t count = 0;
    for (std::size_t at = body.find("data: "); at != std::string::npos; ++count)
        at = body.find("data: ", at + 1);
    return count;
}

}  // namespace endpoint_test
