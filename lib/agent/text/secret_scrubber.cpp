#include <weft/agent/text/secret_scrubber.hpp>

#include <weft/base/text/ascii_text.hpp>
#include <weft/net/options/cassette_options.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace weft {

namespace {

constexpr std::string_view hidden = "***";
constexpr std::size_t known_min = 4;   // a shorter text would be hidden in half of all words
constexpr std::size_t token_min = 16;  // characters of a key behind the beginning that tells it
constexpr std::size_t value_min = 4;   // of what stands behind a name: `code: 12` is none

constexpr std::array<std::string_view, 14> key_beginnings{
    "sk-",   "sk_live_", "rk_live_",    "ghp_",   "gho_", "ghs_", "xoxb-",
    "xoxp-", "AKIA",     "github_pat_", "glpat-", "AIza", "hf_",  "eyJ"};

bool is_letter_or_digit(char c) noexcept
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}
bool is_of_token(char c) noexcept
{
    return is_letter_or_digit(c) || std::string_view{"-_./+="}.find(c) != std::string_view::npos;
}

/** Where the run of characters that a key has ends. */
std::size_t end_of_token(std::string_view text, std::size_t at) noexcept
{
    while (at < text.size() && is_of_token(text[at])) ++at;
    return at;
}

/** The length of a key at the beginning of `text`; 0 if there is none. */
std::size_t key_at(std::string_view text) noexcept
{
    for (const std::string_view beginning : key_beginnings)
        if (text.starts_with(beginning) && end_of_token(text, beginning.size()) >= beginning.size() + token_min)
            return end_of_token(text, beginning.size());
    return 0;
}

/** Whether `text` begins with a word in small letters, in any case. */
bool begins_with(std::string_view text, std::string_view small) noexcept
{
    return text.size() >= small.size() && std::equal(small.begin(), small.end(), text.begin(),
                                                     [](char a, char b) { return a == ascii_lower(b); });
}

/** Where the secret behind `Bearer` stands: after blanks, as long as a key goes on. */
std::pair<std::size_t, std::size_t> bearer_at(std::string_view text) noexcept
{
    constexpr std::string_view word = "bearer ";
    if (!begins_with(text, word)) return {0, 0};
    const std::size_t begin = text.find_first_not_of(' ', word.size());
    if (begin == text.npos || end_of_token(text, begin) < begin + token_min / 2) return {0, 0};
    return {begin, end_of_token(text, begin)};
}

/** The length of a private key at the beginning of `text`; one without an end goes on to that of the text. */
std::size_t pem_at(std::string_view text) noexcept
{
    constexpr std::string_view begin = "-----BEGIN ";
    constexpr std::string_view end = "-----END ";
    if (!text.starts_with(begin)) return 0;
    if (text.substr(0, 64).find("PRIVATE KEY-----") == text.npos) return 0;
    const std::size_t last = text.find(end);
    const std::size_t dashes = last == text.npos ? text.npos : text.find("-----", last + end.size());
    return dashes == text.npos ? text.size() : dashes + 5;
}

/** Where the value behind a name stands; the name is `name_size` long at the beginning of `text`. JSON within JSON has
 *  its quotes behind backslashes. */
std::pair<std::size_t, std::size_t> value_behind(std::string_view text, std::size_t name_size) noexcept
{
    std::size_t at = name_size;
    const auto skip = [&](std::string_view these) { at = std::min(text.find_first_not_of(these, at), text.size()); };
    skip("\\\"' ");
    if (at == text.size() || (text[at] != ':' && text[at] != '=')) return {0, 0};
    ++at;
    skip(" ");
    const bool is_quoted = at < text.size() && (text[at] == '"' || text[at] == '\\' || text[at] == '\'');
    skip("\\\"'");
    const std::size_t end = std::min(text.find_first_of(is_quoted ? "\"'\\\n" : " \t\r\n,;&\"'\\)}]", at), text.size());
    if (end < at + value_min) return {0, 0};
    return {at, end};
}

}  // namespace

secret_scrubber::secret_scrubber(std::vector<secret_string> known)
{
    for (secret_string& one : known)
        if (one.reveal().size() >= known_min) known_.push_back(std::move(one));
    names_.assign(hidden_member_names.begin(), hidden_member_names.end());
    names_.insert(names_.end(), {"token", "auth_token", "passwd", "private_key", "secret_key"});
    // The longest first: `api_key` is not `api`.
    std::sort(names_.begin(), names_.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
}

bool secret_scrubber::hides(std::string_view name) const noexcept
{
    return std::any_of(names_.begin(), names_.end(), [name](std::string_view hidden_name) {
        return name.size() == hidden_name.size() && begins_with(name, hidden_name);
    });
}

std::string secret_scrubber::clean(std::string_view text) const
{
    std::string whole{text};
    for (const secret_string& one : known_) whole = one.scrub(whole);
    const std::string_view from = whole;
    std::string to;
    to.reserve(from.size());
    for (std::size_t at = 0; at < from.size();) {
        const std::string_view rest = from.substr(at);
        const bool begins_word = at == 0 || !is_letter_or_digit(from[at - 1]);
        std::pair<std::size_t, std::size_t> found{0, 0};
        if (begins_word) {
            found.second = std::max(key_at(rest), pem_at(rest));
            if (found.second == 0) found = bearer_at(rest);
            for (auto name = names_.begin(); found.second == 0 && name != names_.end(); ++name)
                if (begins_with(rest, *name)) found = value_behind(rest, name->size());
        }
        if (found.second == 0) {
            to += from[at++];
            continue;
        }
        to.append(rest.substr(0, found.first)).append(hidden);
        at += found.second;
    }
    return to;
}

}  // namespace weft
