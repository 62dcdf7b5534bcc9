#include "await_forms.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace weft_tidy {

namespace {

bool opens(char c) { return c == '(' || c == '[' || c == '{'; }
bool closes(char c) { return c == ')' || c == ']' || c == '}'; }

std::string_view trimmed_end(std::string_view text)
{
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

std::string_view last_word(std::string_view text)
{
    text = trimmed_end(text);
    std::size_t first = text.size();
    while (first > 0 && is_word(text[first - 1])) --first;
    return text.substr(first);
}

/** Whether a brace behind this text begins statements, and no list of values. */
bool begins_block(std::string_view before)
{
    before = trimmed_end(before);
    if (before.empty()) return true;
    const std::size_t head = before.find_last_of(";{}");
    const std::string_view since = head == before.npos ? before : before.substr(head + 1);
    if (since.find("->") != since.npos && since.find(')') < since.find("->")) return true;
    static constexpr std::string_view words[] = {"else",     "do",       "try",     "const",
                                                 "noexcept", "override", "mutable", "final"};
    const std::string_view word = last_word(before);
    if (std::find(std::begin(words), std::end(words), word) != std::end(words)) return true;
    return std::string_view{";{})]:"}.find(before.back()) != std::string_view::npos;
}

/** Types with a declared constructor: temporaries of them are safe. The others need a name. */
constexpr std::array<std::string_view, 13> classes{
    "hours",   "item_key",       "milliseconds", "minutes",     "new_run",    "retention",       "run_outcome",
    "seconds", "sqlite_options", "string",       "thread_hold", "thread_key", "use_task_keeping"};

/** What is written around one `co_await`. */
class await_form {
public:
    await_form(std::string_view code, std::size_t at) : code_{code}, at_{at} {}

    /** Empty if nothing is wrong. */
    [[nodiscard]] std::string_view fault()
    {
        look_back();
        if (fault_.empty()) look_into_operand();
        if (fault_.empty()) look_on();
        return fault_;
    }

private:
    void look_back()
    {
        std::size_t nested = 0;
        bool is_behind_semicolon = false;
        for (std::size_t i = at_; i > 0 && fault_.empty(); --i) {
            const char c = code_[i - 1];
            if (closes(c)) ++nested;
            else if (opens(c) && nested > 0) --nested;
            else if (nested > 0) continue;
            else if (c == ';') is_behind_semicolon = true;
            else if (c == '?' && !is_behind_semicolon) fault_ = "in a choice";
            else if (opens(c) && leave_opening(i - 1, is_behind_semicolon)) return;
            if (c == '}' && nested == 1 && begins_block(code_.substr(0, opening_of(i - 1)))) {
                if (!is_behind_semicolon) throw_before(i);
                return;
            }
        }
    }

    /** @return   True where the statement begins. */
    bool leave_opening(std::size_t open, bool is_behind_semicolon)
    {
        const std::string_view before = code_.substr(0, open);
        if (code_[open] == '{') {
            if (begins_block(before)) {
                if (!is_behind_semicolon) throw_before(open + 1);
                return true;
            }
            fault_ = "inside braces";
        }
        if (code_[open] != '(') return false;
        const std::string_view word = last_word(before);
        if (word == "for" || word == "if" || word == "while" || word == "switch") {
            judge_header(word, open, is_behind_semicolon);
            return true;
        }
        if (is_behind_semicolon) return true;
        const std::string_view type = trimmed_end(before.substr(0, before.size() - word.size()));
        if (last_word(type) == "new") fault_ = "inside new";
        return false;
    }

    void judge_header(std::string_view word, std::size_t open, bool is_behind_semicolon)
    {
        if (!is_behind_semicolon && word == "for") return;  // what it begins with, or a range
        const std::size_t close = closing_of(open);
        const std::string_view rest = code_.substr(at_, close - at_);
        const bool is_initialiser = !is_behind_semicolon && rest.find(';') != rest.npos;
        if (!is_initialiser) fault_ = "in a condition";
    }

    void throw_before(std::size_t begin)
    {
        const std::string_view statement = code_.substr(begin, at_ - begin);
        const std::size_t end = statement.find_last_of(';');
        const std::string_view since = end == statement.npos ? statement : statement.substr(end + 1);
        if (last_word(since) == "throw") fault_ = "behind throw";
    }

    void look_into_operand()
    {
        if (last_word(code_.substr(0, at_)) == "throw") fault_ = "behind throw";
        for (std::size_t i = at_; i < operand_end() && fault_.empty(); ++i) {
            if (code_[i] == '?') fault_ = "with a choice";
            if (code_[i] == '[') look_at_bracket(i);
            if (code_[i] == '{' && !is_harmless(i)) fault_ = "with braces";
        }
    }
    /** The body of a lambda, nothing at all, or a temporary of a class. */
    [[nodiscard]] bool is_harmless(std::size_t brace) const
    {
        const std::string_view before = code_.substr(at_, brace - at_);
        if (code_.substr(brace + 1, 1) == "}" || begins_block(before)) return true;
        const std::string_view type = last_word(before);
        return std::find(classes.begin(), classes.end(), type) != classes.end();
    }
    void look_at_bracket(std::size_t open)
    {
        const std::string_view before = trimmed_end(code_.substr(at_, open - at_));
        const bool is_lambda = !before.empty() && (before.back() == '(' || before.back() == ',');
        if (is_lambda && closing_of(open) > open + 1) fault_ = "with a lambda that captures";
    }

    /** Behind the calls and members of what is awaited. */
    [[nodiscard]] std::size_t operand_end() const
    {
        std::size_t i = at_ + std::string_view{"co_await"}.size();
        while (i < code_.size() && code_[i] == ' ') ++i;
        while (i < code_.size()) {
            if (opens(code_[i])) i = closing_of(i) + 1;
            else if (is_word(code_[i]) || code_[i] == ':' || code_[i] == '.' || code_[i] == '*') ++i;
            else if (code_.substr(i, 2) == "->") i += 2;
            else if (code_[i] == '<' && closing_angle(i) > i) i = closing_angle(i) + 1;
            else break;
        }
        return i;
    }
    [[nodiscard]] std::size_t closing_angle(std::size_t open) const
    {
        const std::size_t end = code_.find_first_of(">;&|{", open + 1);
        return end != code_.npos && code_[end] == '>' ? end : open;
    }

    void look_on()
    {
        std::size_t nested = 0;
        bool is_of_another = false;
        for (std::size_t i = operand_end(); i < code_.size(); ++i) {
            const char c = code_[i];
            if (opens(c)) ++nested;
            else if (closes(c) && nested > 0) --nested;
            else if (closes(c)) is_of_another = false;
            else if (nested > 0) continue;
            else if (c == ';') return;
            else if (c == ',') is_of_another = true;
            else if (c == '?' && !is_of_another) fault_ = "in a choice";
        }
    }

    [[nodiscard]] std::size_t closing_of(std::size_t open) const
    {
        std::size_t nested = 0;
        for (std::size_t i = open; i < code_.size(); ++i) {
            if (opens(code_[i])) ++nested;
            if (closes(code_[i]) && --nested == 0) return i;
        }
        return code_.size();
    }
    [[nodiscard]] std::size_t opening_of(std::size_t close) const
    {
        std::size_t nested = 0;
        for (std::size_t i = close + 1; i > 0; --i) {
            if (closes(code_[i - 1])) ++nested;
            if (opens(code_[i - 1]) && --nested == 0) return i - 1;
        }
        return 0;
    }

    std::string_view code_;
    std::size_t at_;
    std::string_view fault_;
};

}  // namespace

void check_awaits(const source_text& source, mistakes& found)
{
    if (!source.is_cpp()) return;
    std::string code;
    for (const std::string& line : source.code) code.append(line.starts_with('#') ? "" : line).append(" \n");
    std::string flat = code;
    std::replace(flat.begin(), flat.end(), '\n', ' ');
    for (std::size_t at = flat.find("co_await"); at != flat.npos; at = flat.find("co_await", at + 1)) {
        if ((at > 0 && is_word(flat[at - 1])) || is_word(flat[at + 8])) continue;
        const std::string_view fault = await_form{flat, at}.fault();
        if (fault.empty()) continue;
        const auto line = 1 + std::count(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(at), '\n');
        found.push_back(source.path + ":" + std::to_string(line) + ": co_await " + std::string{fault} +
                        ", which g++ 12 compiles wrongly: name it first (docs/COMPILERS.md)");
    }
}

}  // namespace weft_tidy
