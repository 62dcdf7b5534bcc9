// Fuzzes addresses: what is read as a URL can be written and read again as the same one; what the address of a proxy or
// a list of hosts says is read, or refused with words that never repeat a password.
//   clang++ -std=c++20 -fsanitize=fuzzer,address,undefined -Iinclude async_tests/fuzz/url_fuzz.cpp …

#include "stream_pieces.hpp"

#include <weft/base/error.hpp>
#include <weft/net/http_proxy.hpp>
#include <weft/net/text/proxy_bypass.hpp>
#include <weft/net/url.hpp>

#include <optional>

namespace {

using stream_pieces::require;

constexpr std::string_view password = "hunter2-hunter2";

constexpr std::string_view pieces[] = {
    "http://", "https://", "localhost", "EXAMPLE.com", "127.0.0.1", "[::1]",     "[fd00::1%25en0]", "0x7f.1", ":",
    "8080",    ":99999",   "/",         "//",          "..",        "?key=a&b=c", "#part",          "%41",    "%zz",
    "@",       "user",     "*",         "*.",          ".",         "10.0.0.0/8", "fd00::/129",     ",",      " ",
    "hunter2-hunter2",     "user:hunter2-hunter2@",    "xn--nxasmq6b",            "1.2.3.4.5",
};

std::optional<weft::url> read_url(std::string_view text)
{
    try {
        return weft::url{text};
    } catch (const weft::error& e) {
        require(e.code() == weft::errc::invalid_url && !e.detail().empty());
        return std::nullopt;
    }
}

void check_url(const weft::url& read)
{
    const std::string text = read.to_string();
    require(read_url(text) == read);
    require(text.size() <= 2 * weft::url::length_max && text.find_first_of(" \r\n\t#@\\") == std::string::npos);
    require(!read.host().empty() && read.target().starts_with('/') && read.port() > 0);
    require(text.starts_with(read.is_https() ? "https://" : "http://"));
    require(read.origin().ends_with(read.endpoint()));
    try {
        const weft::url longer = read.appended("a/b");
        require(longer.origin() == read.origin() && longer.target().find("/a/b") != std::string::npos);
    } catch (const weft::error& e) {
        require(e.code() == weft::errc::invalid_url);
    }
}

void check_proxy(const std::string& text)
{
    try {
        const weft::proxy_server proxy{text};
        check_url(proxy.address());
        require(proxy.address().to_string().find(password) == std::string::npos ||
                proxy.address().host().find(password) != std::string::npos);
    } catch (const weft::error& e) {
        require(e.code() == weft::errc::invalid_configuration);
        require(std::string_view{e.what()}.find(password) == std::string_view::npos);
    }
}

void check_bypass(const std::string& list, const std::optional<weft::url>& asked)
{
    static const weft::url fixed{"https://api.example.com:8080/v1"};
    weft::proxy_bypass bypass;
    try {
        bypass.add(list);
    } catch (const weft::error& e) {
        require(e.code() == weft::errc::invalid_configuration);
        return;
    }
    const bool covers = bypass.covers(asked.value_or(fixed));
    require(!covers || !bypass.empty());
    bypass.add("*");
    require(bypass.covers(asked.value_or(fixed)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string text = stream_pieces::spelled_out(pieces, data, size);
    const std::optional<weft::url> read = read_url(text);
    if (read) check_url(*read);
    check_proxy(text);
    check_bypass(text.substr(0, 2'000), read);
    return 0;
}
