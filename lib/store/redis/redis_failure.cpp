#include "redis_failure.hpp"

namespace weft::redis_detail {

namespace {

/** First words of errors that pass by themselves; all others refuse. */
constexpr std::string_view passing_codes[] = {"LOADING", "BUSY", "MASTERDOWN", "TRYAGAIN", "CLUSTERDOWN", "NOREPLICAS"};

constexpr std::size_t words_shown_max = 300;

}  // namespace

errc errc_of_reply(std::string_view words) noexcept
{
    const std::string_view first = words.substr(0, words.find(' '));
    for (const std::string_view code : passing_codes)
        if (first == code) return errc::store_unavailable;
    if (first == "OOM") return errc::store_full;
    if (words.starts_with("ERR max number of clients")) return errc::store_unavailable;
    return errc::store_refused;
}

error refusal(const std::string& endpoint, std::string_view words, const secret_string& password)
{
    std::string detail = "the server said: " + password.scrub(words.substr(0, words_shown_max));
    for (char& c : detail)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    if (words.starts_with("WRONGPASS") || words.starts_with("NOAUTH")) detail += "; check user and password";
    if (words.starts_with("OOM")) detail += "; raise maxmemory or let it evict";
    if (words.starts_with("READONLY")) detail += "; it is a replica: name the primary";
    return error{errc_of_reply(words), endpoint, std::move(detail)};
}

bool is_passing(errc code) noexcept
{
    switch (code) {
    case errc::store_refused:
    case errc::tls_untrusted:
    case errc::tls_expired:
    case errc::tls_wrong_host:
    case errc::tls_failed:
    case errc::invalid_configuration:
        return false;
    default:
        return true;
    }
}

}  // namespace weft::redis_detail
