#include <weft/agent/text/text_passages.hpp>

#include <weft/base/text/ascii_text.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace weft {

namespace {

constexpr std::size_t heading_levels = 6;

bool is_fence(std::string_view line)
{
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == line.npos || begin > 3) return false;
    return line.substr(begin).starts_with("```") || line.substr(begin).starts_with("~~~");
}

/** From 1; 0 for a line that is no heading. */
std::size_t heading_level(std::string_view line)
{
    const std::size_t level = std::min(line.find_first_not_of('#'), line.size());
    const bool is_heading = level > 0 && level <= heading_levels && level < line.size() && line[level] == ' ';
    return is_heading ? level : 0;
}

std::string_view heading_text(std::string_view line, std::size_t level)
{
    line.remove_prefix(level);
    const std::size_t begin = line.find_first_not_of(" \t");
    const std::size_t end = line.find_last_not_of(" \t\r#");
    return begin == line.npos || end == line.npos || end < begin ? std::string_view{}
                                                                 : line.substr(begin, end - begin + 1);
}

/** At most so many bytes of whole characters of UTF-8; at least one byte. */
std::size_t whole_characters(std::string_view text, std::size_t bytes_max)
{
    std::size_t end = std::min(text.size(), bytes_max);
    if (end == text.size()) return end;
    while (end > 1 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return end;
}

class passage_divider {
public:
    explicit passage_divider(std::size_t bytes_max) : bytes_max_{std::max<std::size_t>(bytes_max, 16)} {}

    void add(std::string_view line, std::size_t number)
    {
        const bool is_marker = is_fence(line);
        if (is_marker) is_code_ = !is_code_;
        const std::size_t level = is_code_ || is_marker ? 0 : heading_level(line);
        if (level > 0) return begin_section(heading_text(line, level), level);
        if (is_blank(line) && !is_code_) return end_paragraph();
        while (line.size() > bytes_max_) {
            const std::size_t part = whole_characters(line, bytes_max_);
            add_whole(line.substr(0, part), number);
            line.remove_prefix(part);
        }
        add_whole(line, number);
    }
    std::vector<text_passage> take()
    {
        flush();
        return std::move(passages_);
    }

private:
    struct text_line {
        std::string text;
        std::size_t number;
        bool begins_paragraph;
    };

    void begin_section(std::string_view text, std::size_t level)
    {
        flush();
        headings_[level - 1] = text;
        for (std::size_t deeper = level; deeper < heading_levels; ++deeper) headings_[deeper].clear();
    }
    void end_paragraph() { begins_paragraph_ = true; }

    void add_whole(std::string_view line, std::size_t number)
    {
        const std::size_t break_bytes = begins_paragraph_ ? 1 : 0;
        if (!lines_.empty() && bytes_ + break_bytes + line.size() > bytes_max_) make_room(line.size());
        const bool is_first = lines_.empty();
        lines_.push_back({std::string{line}, number, begins_paragraph_ || is_first});
        bytes_ += line.size() + (begins_paragraph_ && !is_first ? 2 : 1);
        begins_paragraph_ = false;
    }
    /** Ends the passage before the paragraph that goes on, or here if that began it or is too long by itself. */
    void make_room(std::size_t bytes)
    {
        std::size_t count = lines_.size();
        if (!begins_paragraph_) {
            while (count > 0 && !lines_[count - 1].begins_paragraph) --count;
            if (count > 0) --count;
        }
        if (count == 0 || bytes_from(count) + bytes > bytes_max_) count = lines_.size();
        emit(count);
    }
    void flush()
    {
        if (!lines_.empty()) emit(lines_.size());
        begins_paragraph_ = false;
    }
    void emit(std::size_t count)
    {
        text_passage made;
        made.line = lines_.front().number;
        for (const std::string& each : headings_)
            if (!each.empty()) made.heading += (made.heading.empty() ? "" : " > ") + each;
        for (std::size_t i = 0; i < count; ++i) {
            if (i > 0) made.text += lines_[i].begins_paragraph ? "\n\n" : "\n";
            made.text += lines_[i].text;
        }
        passages_.push_back(std::move(made));
        lines_.erase(lines_.begin(), lines_.begin() + static_cast<std::ptrdiff_t>(count));
        bytes_ = bytes_from(0);
    }
    /** Of the lines from there on, as they will stand in a passage, with the line break behind them. */
    [[nodiscard]] std::size_t bytes_from(std::size_t first) const
    {
        std::size_t sum = 0;
        for (std::size_t i = first; i < lines_.size(); ++i)
            sum += lines_[i].text.size() + (i > first && lines_[i].begins_paragraph ? 2 : 1);
        return sum;
    }

    std::size_t bytes_max_;
    std::array<std::string, heading_levels> headings_;
    std::vector<text_line> lines_;
    std::size_t bytes_ = 0;
    bool begins_paragraph_ = false;
    bool is_code_ = false;
    std::vector<text_passage> passages_;
};

}  // namespace

std::vector<text_passage> passages_of(std::string_view document, passage_options options)
{
    passage_divider divider{options.bytes_max};
    for (std::size_t number = 1; !document.empty(); ++number) {
        const std::size_t end = std::min(document.find('\n'), document.size());
        std::string_view line = document.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        divider.add(line, number);
        document.remove_prefix(std::min(end + 1, document.size()));
    }
    return divider.take();
}

}  // namespace weft
