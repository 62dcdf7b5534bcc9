#include "base/text/counted_position.hpp"
#include "json_schema_pattern.hpp"

#include <weft/base/utf8.hpp>

#include <boost/regex.hpp>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace weft::schema_detail {

namespace {

// One character holds a code point, so that `.` and classes see whole ones.
static_assert(sizeof(wchar_t) == 4);

/** Code points of a text; a byte that is no UTF-8 stands for itself. */
std::wstring code_points_of(std::string_view text)
{
    std::wstring result;
    result.reserve(text.size());
    for (std::size_t bytes = 0; !text.empty(); text.remove_prefix(bytes))
        result += static_cast<wchar_t>(first_code_point(text, bytes));
    return result;
}

constexpr bool is_hex_digit(wchar_t c)
{
    return (c >= L'0' && c <= L'9') || (c >= L'a' && c <= L'f') || (c >= L'A' && c <= L'F');
}

/** `\uXXXX` and `\u{X}` become `\x{X}`; other escapes that mean something else to the matcher than to ECMAScript are
 *  refused. */
class escape_translator {
public:
    explicit escape_translator(std::wstring_view from) : from_{from} {}

    std::wstring translate()
    {
        for (; at_ < from_.size(); ++at_) {
            if (from_[at_] == L'\\' && at_ + 1 < from_.size()) take_escape();
            else if (in_class_) take_in_class();
            else if (from_[at_] == L'[') begin_class();
            else if (from_.substr(at_, 2) == L"(*") throw std::invalid_argument{"'*' has nothing to repeat"};
            else if (from_.substr(at_, 2) == L"(?") take_group();
            else result_ += from_[at_];
        }
        return std::move(result_);
    }

private:
    void take(std::size_t size, std::wstring_view as)
    {
        result_ += as;
        at_ += size - 1;
    }

    void begin_class()
    {
        in_class_ = true;
        const bool is_negated = from_.substr(at_ + 1).starts_with(L'^');
        if (from_.substr(at_ + (is_negated ? 2 : 1)).starts_with(L']'))
            throw std::invalid_argument{"'[]' and '[^]' are not known: write '[^\\s\\S]' or '[\\s\\S]'"};
        result_ += L'[';
    }

    void take_in_class()
    {
        if (from_[at_] == L'[') result_ += L"\\[";
        else result_ += from_[at_];
        in_class_ = from_[at_] != L']';
    }

    void take_group()
    {
        const std::wstring_view rest = from_.substr(at_ + 2);
        for (const std::wstring_view begin : {L":", L"=", L"!", L"<"})
            if (rest.starts_with(begin)) return take(2, L"(?");
        throw std::invalid_argument{"after '(?' only ':', '=', '!', '<=', '<!' and '<name>' are known"};
    }

    void take_escape()
    {
        constexpr std::wstring_view known = L"bBdDsSwWfnrtv0123456789xck^$\\.*+?()[]{}|/-";
        const wchar_t what = from_[at_ + 1];
        if (what == L'u') return take_code_point();
        if (what < 128 && known.find(what) == known.npos && !is_harmless(what))
            throw std::invalid_argument{std::string{"the escape '\\"} + static_cast<char>(what) +
                                        "' is not one of ECMAScript"};
        take(2, from_.substr(at_, 2));
    }

    static bool is_harmless(wchar_t c)
    {
        const bool is_letter = (c >= L'a' && c <= L'z') || (c >= L'A' && c <= L'Z');
        return !is_letter && std::wstring_view{L"<>'`"}.find(c) == std::wstring_view::npos;
    }

    void take_code_point()
    {
        const bool has_braces = at_ + 2 < from_.size() && from_[at_ + 2] == L'{';
        std::size_t end = at_ + (has_braces ? 3 : 2);
        const std::size_t begin = end;
        while (end < from_.size() && is_hex_digit(from_[end]) && end - begin < (has_braces ? 6U : 4U)) ++end;
        const bool is_whole = has_braces ? end > begin && end < from_.size() && from_[end] == L'}' : end - begin == 4;
        if (!is_whole) throw std::invalid_argument{"'\\u' needs four hexadecimal digits, or some in braces"};
        const std::wstring digits{from_.substr(begin, end - begin)};
        const unsigned long code = std::stoul(digits, nullptr, 16);
        if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
            throw std::invalid_argument{"'\\u' names no code point: write those above FFFF in braces"};
        take(end - at_ + (has_braces ? 1 : 0), L"\\x{" + digits + L"}");
    }

    std::wstring_view from_;
    std::size_t at_ = 0;
    bool in_class_ = false;
    std::wstring result_;
};

}  // namespace

struct schema_pattern::program {
    std::string text;
    boost::wregex matcher;
};

schema_pattern::schema_pattern(std::string_view text)
{
    try {
        const std::wstring translated = escape_translator{code_points_of(text)}.translate();
        program_ = std::make_shared<const program>(
            program{std::string{text}, boost::wregex{translated, boost::regex_constants::ECMAScript}});
    } catch (const boost::regex_error& e) {
        std::string reason = e.what();
        reason.resize(std::min(reason.find("  The error occurred"), reason.size()));
        throw std::invalid_argument{reason};
    }
}

const std::string& schema_pattern::text() const noexcept { return program_->text; }

schema_pattern::answer schema_pattern::found_in(std::string_view text, std::size_t& steps) const
{
    using namespace boost::regex_constants;
    const std::wstring where = code_points_of(text);
    const counted_position begin{where.data(), &steps};
    const counted_position end{where.data() + where.size(), &steps};
    try {
        const bool found = boost::regex_search(begin, end, program_->matcher,
                                               match_any | match_single_line | match_not_dot_newline);
        return found ? answer::yes : answer::no;
    } catch (const too_much_work&) {
        return answer::gave_up;
    } catch (const std::runtime_error&) {
        return answer::gave_up;  // of the matcher's own bounds
    }
}

}  // namespace weft::schema_detail
