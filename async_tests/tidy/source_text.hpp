#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace weft_tidy {

/** A text file of the project, by lines, without their ends. */
struct source_text {
    std::string path;                   ///< Relative to the root, with `/`.
    std::vector<std::string> lines;     ///< As written.
    std::vector<std::string> code;      ///< C++ only: without comments and without what literals contain.
    std::vector<std::string> texts;     ///< C++ only: what literals contain, each after its opening quote.
    std::vector<std::string> comments;  ///< C++ only: comments, with their marks.

    source_text(std::string path, std::string_view content);

    [[nodiscard]] bool is_cpp() const;
    [[nodiscard]] bool is_header() const { return path.ends_with(".hpp"); }
    [[nodiscard]] bool is_markdown() const { return path.ends_with(".md"); }
    [[nodiscard]] bool is_under(std::string_view folder) const { return path.starts_with(folder); }
};

/** Whether names of C++ are made of it. */
[[nodiscard]] bool is_word(char c);

/** Every text file that belongs to the project, in the order of their paths. */
[[nodiscard]] std::vector<source_text> read_project(const std::filesystem::path& root);

/** The files of weft itself, read once a process. */
[[nodiscard]] const std::vector<source_text>& project();

}  // namespace weft_tidy
