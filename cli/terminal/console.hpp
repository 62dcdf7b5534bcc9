#pragma once

/** What a program has to know about the terminal it writes to. Used by weft and by the sample parallel_research. */

#include <weft/base/utf8.hpp>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace console {

/** Takes the first code point off a text that is UTF-8. */
inline char32_t take_code_point(std::string_view& text)
{
    std::size_t bytes = 0;
    const char32_t code = weft::first_code_point(text, bytes);
    text.remove_prefix(bytes);
    return code;
}

struct code_range {
    char32_t first;
    char32_t last;
};

template <std::size_t N>
bool is_in(char32_t code, const std::array<code_range, N>& ranges)
{
    return std::any_of(ranges.begin(), ranges.end(),
                       [&](code_range r) { return r.first <= code && code <= r.last; });
}

/** Characters that steer a terminal or turn the reading direction round. */
inline bool is_control(char32_t code)
{
    static constexpr std::array<code_range, 6> ranges{{{0x00, 0x1F},
                                                       {0x7F, 0x9F},
                                                       {0x200E, 0x200F},
                                                       {0x2028, 0x202E},
                                                       {0x2066, 0x2069},
                                                       {0xFEFF, 0xFEFF}}};
    return is_in(code, ranges);
}

/** How many columns a terminal gives to a character: none to marks that combine, two to wide ones.
 */
inline std::size_t columns_of(char32_t code)
{
    static constexpr std::array<code_range, 4> none{
        {{0x0300, 0x036F}, {0x200B, 0x200D}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}}};
    static constexpr std::array<code_range, 8> two{{{0x1100, 0x115F},
                                                    {0x2E80, 0xA4CF},
                                                    {0xAC00, 0xD7A3},
                                                    {0xF900, 0xFAFF},
                                                    {0xFE30, 0xFE6F},
                                                    {0xFF00, 0xFF60},
                                                    {0x1F300, 0x1FAFF},
                                                    {0x20000, 0x3FFFD}}};
    if (is_in(code, none)) return 0;
    return is_in(code, two) ? 2 : 1;
}

inline std::size_t columns_of(std::string_view text)
{
    std::size_t columns = 0;
    while (!text.empty()) columns += columns_of(take_code_point(text));
    return columns;
}

/** How many columns a line of our own takes, without its colours. */
inline std::size_t columns_of_styled(std::string_view line)
{
    std::size_t columns = 0;
    while (!line.empty()) {
        const std::string_view plain = line.substr(0, line.find('\x1b'));
        columns += columns_of(plain);
        line.remove_prefix(plain.size());
        const std::size_t end = line.find('m');  // \x1b[32m
        line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
    }
    return columns;
}

/** Text by others, made harmless: a model must not be able to move the cursor, set colours or
 *  rename the window. Line feeds stay, other control characters become blanks. */
inline std::string harmless(std::string_view text)
{
    const std::string repaired = weft::repaired_utf8(text);
    std::string result;
    for (std::string_view rest = repaired; !rest.empty();) {
        const std::string_view before = rest;
        const char32_t code = take_code_point(rest);
        if (code == U'\n' || !is_control(code))
            result.append(before.substr(0, before.size() - rest.size()));
        else
            result.push_back(' ');
    }
    return result;
}

/** The same on one line, with single blanks. */
inline std::string harmless_line(std::string_view text)
{
    std::string line = harmless(text);
    std::replace(line.begin(), line.end(), '\n', ' ');
    line.erase(
        std::unique(line.begin(), line.end(), [](char a, char b) { return a == ' ' && b == ' '; }),
        line.end());
    return line;
}

/** The beginning of a harmless line that fits. */
inline std::string_view first_columns(std::string_view line, std::size_t columns)
{
    std::string_view rest = line;
    while (!rest.empty()) {
        std::string_view after = rest;
        const std::size_t width = columns_of(take_code_point(after));
        if (width > columns) break;
        columns -= width;
        rest = after;
    }
    return line.substr(0, line.size() - rest.size());
}

/** The end of a harmless line that fits, beginning with a whole word if it can. */
inline std::string_view last_columns(std::string_view line, std::size_t columns)
{
    std::size_t width = columns_of(line);
    if (width <= columns) return line;
    while (width > columns) width -= columns_of(take_code_point(line));
    const std::size_t blank = line.find(' ');
    return blank == std::string_view::npos ? line : line.substr(blank + 1);
}

/** Harmless text with lines no wider than this, broken between words where there are any. */
inline std::string wrapped(std::string_view text, std::size_t columns)
{
    columns = std::max<std::size_t>(columns, 20);
    std::string result;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        std::string_view part = first_columns(line, columns);
        const std::size_t blank = part.rfind(' ');
        const bool is_cut = part.size() < line.size() && line[part.size()] != ' ';
        if (is_cut && blank != std::string_view::npos && blank > 0) part = line.substr(0, blank);
        result.append(part).push_back('\n');
        text.remove_prefix(part.size());
        if (!text.empty() && (text.front() == ' ' || text.front() == '\n')) text.remove_prefix(1);
    }
    return result;
}

/** Standard output, or only the colours of another one: whether a person watches it, and how. */
class screen {
public:
    explicit screen(int descriptor = STDOUT_FILENO)
        : is_terminal_{::isatty(descriptor) == 1 && variable("TERM") != "dumb"},
          has_colours_{is_terminal_ && variable("NO_COLOR").empty()}
    {
    }

    /** Whether lines can be drawn over; otherwise whatever is written stays. */
    [[nodiscard]] bool is_terminal() const noexcept { return is_terminal_; }

    /** Text in a colour or another rendition, e.g. "32" for green; see `NO_COLOR` at no-color.org.
     */
    [[nodiscard]] std::string styled(std::string_view text, std::string_view rendition) const
    {
        if (!has_colours_ || rendition.empty()) return std::string{text};
        return "\x1b[" + std::string{rendition} + "m" + std::string{text} + "\x1b[0m";
    }

    struct extent {
        std::size_t columns;
        std::size_t rows;
    };

    /** Text that a person reads: wrapped on a terminal, left as it is for files and pipes. */
    void write_wrapped(std::string_view text) const
    {
        constexpr std::size_t readable = 100;
        write(is_terminal_ ? wrapped(text, std::min(size().columns - 1, readable))
                           : std::string{text} + '\n');
    }

    /** Asked anew for each picture, since windows are resized. */
    [[nodiscard]] extent size() const
    {
        ::winsize window{};
        if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0) return {80, 24};
        return {window.ws_col, window.ws_row};
    }

    static void write(std::string_view text)
    {
        std::fwrite(text.data(), 1, text.size(), stdout);
        std::fflush(stdout);
    }

private:
    static std::string_view variable(const char* name)
    {
        const char* value = std::getenv(name);
        return value ? value : "";
    }

    bool is_terminal_;
    bool has_colours_;
};

/** Hides the cursor, and shows it again on whatever way the program leaves. */
class hidden_cursor {
public:
    explicit hidden_cursor(bool hides) : is_hidden_{hides}
    {
        if (is_hidden_) screen::write("\x1b[?25l");
    }
    ~hidden_cursor() { show(); }
    hidden_cursor(const hidden_cursor&) = delete;
    hidden_cursor& operator=(const hidden_cursor&) = delete;

    void show()
    {
        if (std::exchange(is_hidden_, false)) screen::write("\x1b[?25h");
    }

private:
    bool is_hidden_;
};

}  // namespace console
