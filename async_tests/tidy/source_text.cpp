#include "source_text.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <utility>

namespace weft_tidy {

namespace fs = std::filesystem;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

namespace {

std::vector<std::string> split(std::string_view content)
{
    std::vector<std::string> lines;
    while (!content.empty()) {
        const std::size_t end = std::min(content.find('\n'), content.size());
        lines.emplace_back(content.substr(0, end));
        content.remove_prefix(std::min(end + 1, content.size()));
    }
    return lines;
}

// Divides C++ into code, what literals contain, and comments; all keep the line ends, so that lines keep their numbers.
class code_filter {
public:
    explicit code_filter(std::string_view text) : text_{text}
    {
        while (at_ < text_.size()) step();
    }

    const std::string& code() const { return code_; }
    const std::string& texts() const { return texts_; }
    const std::string& comments() const { return comments_; }

private:
    void step()
    {
        const char c = text_[at_];
        const bool in_word = at_ > 0 && is_word(text_[at_ - 1]);
        if (starts_with("//"))
            skip_to(text_.find('\n', at_), comments_);
        else if (starts_with("/*"))
            skip_to(after("*/"), comments_);
        else if (starts_with("R\"") && !in_word)
            skip_to(after(")" + std::string{text_.substr(at_ + 2, text_.find('(', at_) - at_ - 2)} + "\""), texts_);
        else if (c == '"' || (c == '\'' && !in_word))  // in a word it separates digits
            skip_quoted(c);
        else
            keep_code();
    }

    // As far as nothing else can begin: most characters are plain code, and each test reads the whole project.
    void keep_code()
    {
        const std::size_t end = std::min(text_.find_first_of("/\"'R\n", at_ + 1), text_.size());
        if (text_[at_] == '\n') {
            texts_ += '\n';
            comments_ += '\n';
        }
        code_ += text_.substr(at_, end - at_);
        at_ = end;
    }

    bool starts_with(std::string_view prefix) const { return text_.substr(at_).starts_with(prefix); }

    std::size_t after(std::string_view end) const
    {
        const std::size_t found = text_.find(end, at_ + 2);
        return found == std::string_view::npos ? found : found + end.size();
    }

    void skip_to(std::size_t end, std::string& kind)
    {
        for (end = std::min(end, text_.size()); at_ < end;) {
            const std::size_t line_end = std::min(text_.find('\n', at_), end);
            kind += text_.substr(at_, line_end - at_);
            at_ = line_end;
            if (at_ == end) break;
            for (std::string* one : {&code_, &texts_, &comments_}) *one += '\n';
            ++at_;
        }
    }

    void skip_quoted(char quote)
    {
        std::size_t end = at_ + 1;
        while (end < text_.size() && text_[end] != quote && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
        code_ += quote;
        skip_to(end, texts_);
        if (at_ < text_.size() && text_[at_] == quote) code_ += text_[at_++];
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::string code_;
    std::string texts_;
    std::string comments_;
};

std::string read(const fs::path& file)
{
    std::string content(fs::file_size(file), '\0');
    std::ifstream{file, std::ios::binary}.read(content.data(), static_cast<std::streamsize>(content.size()));
    return content;
}

// Inputs of fuzz targets are whatever they are.
bool is_text(const fs::path& file)
{
    static constexpr std::string_view endings[] = {".cpp", ".hpp",  ".md",    ".txt", ".cmake",
                                                   ".in",  ".json", ".query", ""};
    if (file.generic_string().find("/corpus/") != std::string::npos) return false;
    return std::find(std::begin(endings), std::end(endings), file.extension().string()) != std::end(endings);
}

template <class Entries>
void collect(Entries entries, std::vector<fs::path>& files)
{
    for (const fs::directory_entry& entry : entries)
        if (entry.is_regular_file() && is_text(entry.path())) files.push_back(entry.path());
}

}  // namespace

source_text::source_text(std::string path_, std::string_view content) : path{std::move(path_)}, lines{split(content)}
{
    if (!is_cpp()) return;
    const code_filter parts{content};
    code = split(parts.code());
    texts = split(parts.texts());
    comments = split(parts.comments());
    comments.resize(lines.size());
}

bool source_text::is_cpp() const { return path.ends_with(".hpp") || path.ends_with(".cpp"); }

std::vector<source_text> read_project(const fs::path& root)
{
    std::vector<fs::path> files;
    collect(fs::directory_iterator{root}, files);
    for (const char* folder :
         {".ci", "async_tests", "benchmarks", "cli", "cmake", "docs", "include", "lib", "samples", "scripts"})
        if (fs::exists(root / folder)) collect(fs::recursive_directory_iterator{root / folder}, files);
    std::sort(files.begin(), files.end());

    std::vector<source_text> sources;
    for (const fs::path& file : files) sources.emplace_back(fs::relative(file, root).generic_string(), read(file));
    return sources;
}

const std::vector<source_text>& project()
{
    static const std::vector<source_text> sources = read_project(WEFT_SOURCE_DIR);
    return sources;
}

}  // namespace weft_tidy
