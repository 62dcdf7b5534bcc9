#include "remote_keys.hpp"

#include "graph/run_input.hpp"
#include "terminal/console.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/net/http_client.hpp>

#include <boost/describe/class.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <optional>
#include <string_view>
#include <utility>

namespace weft_cli {

// Not unnamed: the frames of coroutines have them as fields.

struct shown_key {
    std::string key_id;
    std::string name;
    std::vector<std::string> scopes;
    std::string created_at;
    std::optional<std::string> expires_at;
};
BOOST_DESCRIBE_STRUCT(shown_key, (), (key_id, name, scopes, created_at, expires_at))

struct shown_page {
    std::vector<shown_key> keys;
    std::string next;
};
BOOST_DESCRIBE_STRUCT(shown_page, (), (keys, next))

struct made_key {
    std::string key;
};
BOOST_DESCRIBE_STRUCT(made_key, (), (key))

struct refused_request {
    std::optional<std::string> detail;
};
BOOST_DESCRIBE_STRUCT(refused_request, (), (detail))

namespace {

constexpr std::size_t answer_bytes_max = 4u << 20;

template <class T>
T read_answer(const std::string& server, const std::string& text)
{
    try {
        return weft::from_json<T>(weft::parse_json(text), {weft::unknown_members::ignored});
    } catch (const weft::error&) {
        throw usage_error{"--server " + server + ": its answer is not that of a server of weft"};
    }
}

/** For a query: what is not a letter or digit as its code. */
std::string in_query(std::string_view text)
{
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string result;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')) result.push_back(c);
        else result.append({'%', digits[byte >> 4], digits[byte & 15]});
    }
    return result;
}

std::string joined(const std::vector<std::string>& words)
{
    std::string text;
    for (const std::string& word : words) text.append(text.empty() ? "" : ",").append(word);
    return text;
}

}  // namespace

weft::task<std::string> remote_keys::ask(std::string method, std::string path, std::string body) const
{
    std::string base = server_;
    while (base.ends_with('/')) base.pop_back();
    weft::http_request request{std::move(method), weft::url{base + path}};
    request.secret("X-Api-Key", key_);
    if (!body.empty()) request.body(std::move(body), "application/json");
    const weft::http_client client;
    weft::http_response response = co_await client.send(std::move(request));
    std::string text = co_await response.read_all(answer_bytes_max);
    if (response.status() < 300) co_return text;
    std::string why = "it answers with status " + std::to_string(response.status());
    try {
        const auto refused = weft::from_json<refused_request>(weft::parse_json(text), {weft::unknown_members::ignored});
        if (refused.detail) why = console::harmless_line(*refused.detail);
    } catch (const weft::error&) {
        // What a proxy says is no JSON.
    }
    throw usage_error{"--server " + server_ + ": " + why};
}

weft::task<std::string> remote_keys::add(std::string name, std::vector<std::string> scopes, unsigned days) const
{
    boost::json::object body;
    body["name"] = name;
    boost::json::array wanted;
    for (const std::string& scope : scopes) wanted.emplace_back(scope);
    if (!wanted.empty()) body["scopes"] = std::move(wanted);
    if (days > 0) body["days"] = days;
    const std::string answer = co_await ask("POST", "/admin/keys", boost::json::serialize(body));
    co_return read_answer<made_key>(server_, answer).key;
}

weft::task<void> remote_keys::revoke(std::string id) const
{
    if (id.find_first_not_of("0123456789abcdef") != id.npos)
        throw usage_error{"--revoke " + id + ": there is no such key; weft keys lists them"};
    (void)co_await ask("DELETE", "/admin/keys/" + id, {});
}

weft::task<std::vector<key_row>> remote_keys::list() const
{
    std::vector<key_row> rows;
    for (std::string after;;) {
        std::string path = "/admin/keys";
        if (!after.empty()) path += "?after=" + in_query(after);
        const std::string answer = co_await ask("GET", std::move(path), {});
        const shown_page page = read_answer<shown_page>(server_, answer);
        for (const shown_key& each : page.keys)
            rows.push_back({each.key_id, each.name, joined(each.scopes), each.created_at,
                            each.expires_at.value_or("never")});
        if (page.next.empty()) co_return rows;
        after = page.next;
    }
}

}  // namespace weft_cli
