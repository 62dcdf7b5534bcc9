#pragma once

#include "console.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft_cli {

/** Names with a text behind each; the texts begin below each other. Both are harmless already. */
class people_lines {
public:
    void add(std::string_view name, std::string text, std::string_view colour = {})
    {
        lines_.push_back({std::string{name}, std::move(text), colour});
    }

    [[nodiscard]] bool is_empty() const noexcept { return lines_.empty(); }
    /** @param indent   Blanks in front of each line. */
    [[nodiscard]] std::string text(const console::screen& screen, std::size_t indent = 0) const;

private:
    struct line {
        std::string name;
        std::string text;
        std::string_view colour;
    };
    std::vector<line> lines_;
};

/** A value of a state for people: a text as it is, anything else as JSON. Long ones are cut. */
[[nodiscard]] std::string value_text(const boost::json::value& value);

/** A number of bytes: `812 B`, `4.2 kB`, `17 MB`. */
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);

/** `1 question`, `no questions`, `3 questions`. */
[[nodiscard]] std::string counted_text(std::uint64_t count, std::string_view noun);

/** Names with a comma and a blank between them, harmless. */
[[nodiscard]] std::string names_text(const std::vector<std::string>& names);

}  // namespace weft_cli
