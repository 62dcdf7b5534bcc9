#include "oauth_challenge.hpp"

#include <weft/net/text/http_headers.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

constexpr std::size_t header_bytes_max = 16 * 1024;

bool is_blank_character(char c) noexcept { return c == ' ' || c == '\t'; }

bool ends_word(char c) noexcept { return is_blank_character(c) || c == ',' || c == '=' || c == '"'; }

/** Goes through a header once, from left to right. */
class challenge_reader {
public:
    explicit challenge_reader(std::string_view text) noexcept : text_{text} {}

    [[nodiscard]] bool is_at_end() const noexcept { return at_ == text_.size(); }

    void skip_separators() noexcept
    {
        while (!is_at_end() && (is_blank_character(text_[at_]) || text_[at_] == ',')) ++at_;
    }

    /** Empty where a word should stand and something else does, which is skipped. */
    [[nodiscard]] std::string_view word()
    {
        const std::size_t begin = at_;
        while (!is_at_end() && !ends_word(text_[at_])) ++at_;
        if (at_ > begin) return text_.substr(begin, at_ - begin);
        if (text_[at_] == '"') static_cast<void>(value());
        else ++at_;
        return {};
    }

    /** Takes a `=` that follows, with blanks around it. */
    [[nodiscard]] bool takes_equals() noexcept
    {
        std::size_t next = at_;
        while (next < text_.size() && is_blank_character(text_[next])) ++next;
        if (next == text_.size() || text_[next] != '=') return false;
        at_ = next + 1;
        while (!is_at_end() && is_blank_character(text_[at_])) ++at_;
        return true;
    }

    [[nodiscard]] std::string value()
    {
        if (is_at_end() || text_[at_] != '"') {
            const std::size_t begin = at_;
            at_ = std::min(text_.find_first_of(", \t", at_), text_.size());
            return std::string{text_.substr(begin, at_ - begin)};
        }
        std::string read;
        for (++at_; !is_at_end() && text_[at_] != '"'; ++at_) {
            if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
            read += text_[at_];
        }
        if (!is_at_end()) ++at_;
        return read;
    }

private:
    std::string_view text_;
    std::size_t at_ = 0;
};

void keep(oauth_challenge& in, std::string_view name, std::string value)
{
    const auto keep_first = [&](std::string& place) {
        if (place.empty()) place = std::move(value);
    };
    if (equals_ignoring_case(name, "error")) keep_first(in.error);
    else if (equals_ignoring_case(name, "resource_metadata")) keep_first(in.resource_metadata);
    else if (equals_ignoring_case(name, "scope") && is_oauth_scope(value)) keep_first(in.scope);
}

}  // namespace

bool is_oauth_scope(std::string_view text) noexcept
{
    if (text.empty() || text.front() == ' ' || text.back() == ' ' || text.find("  ") != text.npos) return false;
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return c >= 0x20 && c <= 0x7E && c != '"' && c != '\\'; });
}

std::optional<oauth_challenge> oauth_challenge::read(std::string_view header)
{
    std::optional<oauth_challenge> found;
    bool is_bearer = false;
    challenge_reader reader{header.substr(0, header_bytes_max)};
    for (reader.skip_separators(); !reader.is_at_end(); reader.skip_separators()) {
        const std::string_view word = reader.word();
        if (word.empty()) continue;
        if (reader.takes_equals()) {
            std::string value = reader.value();
            if (is_bearer) keep(*found, word, std::move(value));
            continue;
        }
        if (found && is_bearer) break;  // the next scheme
        is_bearer = equals_ignoring_case(word, "bearer");
        if (is_bearer) found.emplace();
    }
    return found;
}

}  // namespace weft
