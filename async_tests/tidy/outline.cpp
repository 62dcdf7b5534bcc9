#include "outline.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

namespace weft_tidy {

namespace {

bool is_name_part(char c) { return is_word(c) || c == ':' || c == '~'; }

std::string_view without_front_blanks(std::string_view text)
{
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return text;
}

// Behind the bracket that closes the one at the front.
std::string_view behind_brackets(std::string_view text, char open, char close)
{
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        depth += (text[i] == open) - (text[i] == close);
        if (depth == 0) return without_front_blanks(text.substr(i + 1));
    }
    return {};
}

// Without attributes and `template <…>` at the front.
std::string_view declaration_in(std::string_view head)
{
    for (head = without_front_blanks(head);;) {
        if (head.starts_with("[["))
            head = behind_brackets(head, '[', ']');
        else if (head.starts_with("template"))
            head = behind_brackets(without_front_blanks(head.substr(8)), '<', '>');
        else
            return head;
    }
}

// The name before the first parenthesis outside of template arguments, if there is one.
std::optional<std::string> function_name(std::string_view text)
{
    int angles = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool after_word = i > 0 && is_word(text[i - 1]);
        if (!after_word && text.substr(i).starts_with("operator") && !is_word(text[std::min(i + 8, text.size() - 1)])) {
            std::size_t begin = i;
            while (begin > 0 && is_name_part(text[begin - 1])) --begin;
            const std::size_t symbol = text[std::min(i + 8, text.size() - 1)] == '(' ? i + 9 : i + 8;
            return std::string{text.substr(begin, text.find('(', symbol) - begin)};
        }
        if (text[i] == '<' && after_word) ++angles;
        if (text[i] == '>' && angles > 0 && text[i - 1] != '-') --angles;
        if (text[i] == '=' && angles == 0) return std::nullopt;
        if (text[i] != '(' || angles > 0) continue;
        std::size_t begin = i;
        while (begin > 0 && is_name_part(text[begin - 1])) --begin;
        const std::string_view name = text.substr(begin, i - begin);
        if (name == "explicit" || name == "noexcept" || name == "requires" || name == "decltype" || name == "alignas")
            return function_name(behind_brackets(text.substr(i), '(', ')'));
        const bool is_macro = std::none_of(name.begin(), name.end(), [](char c) { return std::islower(c) != 0; });
        return name.empty() || is_macro ? std::nullopt : std::optional{std::string{name}};
    }
    return std::nullopt;
}

// The name of the type whose body begins behind this head; nothing for other heads and for specialisations.
std::optional<std::string> type_name(std::string_view text)
{
    const std::string_view kinds[] = {"class ", "struct ", "union ", "enum class ", "enum struct ", "enum "};
    for (const std::string_view kind : kinds) {
        if (!text.starts_with(kind)) continue;
        text = declaration_in(text.substr(kind.size()));
        if (text.starts_with("alignas")) text = behind_brackets(text.substr(7), '(', ')');
        const auto end = std::find_if_not(text.begin(), text.end(), is_name_part);
        std::string name{text.begin(), end};
        while (name.ends_with(':')) name.pop_back();
        return name.empty() || (end != text.end() && *end == '<') ? std::nullopt : std::optional{name};
    }
    return std::nullopt;
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> words)
{
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return text.starts_with(word); });
}

// `head_` is the text since the last declaration ended.
class outline_walk {
public:
    explicit outline_walk(const source_text& source) : source_{source} {}

    outline run()
    {
        for (line_ = 0; line_ < source_.code.size(); ++line_) {
            if (source_.code[line_].starts_with('#')) continue;
            for (const char c : source_.code[line_]) step(c);
            step(' ');
        }
        return std::move(found_);
    }

private:
    enum class brace { space, type, block, initialiser };
    struct open_brace {
        brace kind;
        std::string name;
        std::size_t type = 0;  // its place in `found_`
    };

    void step(char c)
    {
        if (c == '{') return open();
        if (c == '}') return close();
        if (c == ';' && parentheses_ == 0) return end_declaration();
        parentheses_ += (c == '(') - (c == ')');
        if (head_.empty()) {
            if (c == ' ') return;
            head_line_ = line_;
        }
        head_ += c;
        if (c == ':' && starts_with_any(head_, {"public:", "private:", "protected:"})) head_.clear();
    }

    bool is_in(brace kind) const { return !open_.empty() && open_.back().kind == kind; }
    bool is_among_declarations() const { return open_.empty() || is_in(brace::space) || is_in(brace::type); }

    void open()
    {
        const std::string_view text = declaration_in(head_);
        if (!is_among_declarations() || parentheses_ > 0)
            open_.push_back({is_in(brace::block) ? brace::block : brace::initialiser, ""});
        else if (starts_with_any(text, {"namespace", "inline namespace", "extern "}))
            open_.push_back({brace::space, space_name(text)});
        else if (const auto name = type_name(text))
            open_type(*name, text.starts_with("enum"));
        else if (starts_with_any(text, {"class ", "struct ", "union ", "enum "}))
            open_.push_back({brace::block, ""});
        else if (!function_name(text) || opens_initialiser(text))
            open_.push_back({brace::initialiser, ""});
        else {
            note_function(text);
            open_.push_back({brace::block, ""});
        }
        if (open_.back().kind != brace::initialiser) head_.clear();
    }

    static std::string space_name(std::string_view text)
    {
        text.remove_prefix(std::min(text.find("namespace") + 9, text.size()));
        const std::string_view name = without_front_blanks(text);
        return std::string{name.substr(0, name.find(' '))};
    }

    void open_type(const std::string& name, bool is_enum)
    {
        std::string around;
        std::string space;
        for (const open_brace& one : open_) {
            if (one.kind == brace::type) around = one.name + "::";
            if (one.kind == brace::space) space += (space.empty() ? "" : "::") + (one.name.empty() ? "{}" : one.name);
        }
        found_.types.push_back({around + name, space, head_line_});
        open_.push_back({is_enum ? brace::block : brace::type, around + name, found_.types.size() - 1});
    }

    // `name(…) : member{…}`: a single colon after a closing parenthesis, and a name before the brace.
    static bool opens_initialiser(std::string_view text)
    {
        const char last = text[text.find_last_not_of(' ')];
        if (!is_name_part(last) && last != '>') return false;
        for (std::size_t at = text.find(')'); at != std::string_view::npos; at = text.find(')', at + 1)) {
            const std::string_view next = without_front_blanks(text.substr(at + 1));
            if (next.starts_with(':') && !next.starts_with("::")) return true;
        }
        return false;
    }

    void close()
    {
        if (open_.empty()) return;
        const brace kind = open_.back().kind;
        open_.pop_back();
        if (kind != brace::initialiser) head_.clear();
    }

    void end_declaration()
    {
        const std::string_view text = declaration_in(head_);
        const std::string_view end = text.substr(0, text.find_last_not_of(' ') + 1);
        if (is_in(brace::type) && !end.ends_with("= default") && !end.ends_with("= delete")) note_function(text);
        head_.clear();
    }

    void note_function(std::string_view text)
    {
        if (starts_with_any(text, {"friend ", "using ", "static_assert", "typedef ", "class ", "struct ", "enum "}))
            return;
        const auto name = function_name(text);
        if (!name) return;
        if (is_in(brace::type)) {
            ++found_.types[open_.back().type].functions;
            return;
        }
        const std::size_t last = name->rfind("::", name->find("operator"));
        if (last != std::string::npos && last > 0)
            found_.definitions.push_back({name->substr(0, last), name->substr(last + 2), head_line_});
    }

    const source_text& source_;
    outline found_;
    std::vector<open_brace> open_;
    std::string head_;
    std::size_t line_ = 0;
    std::size_t head_line_ = 0;
    int parentheses_ = 0;
};

}  // namespace

outline outline_of(const source_text& source) { return outline_walk{source}.run(); }

}  // namespace weft_tidy
