#include "function_lengths.hpp"

#include <cctype>
#include <string_view>

namespace weft_tidy {

namespace {

bool is_qualified_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':'; }

// Walks through the code and keeps what each open brace is. `head_` is the text since the last declaration ended.
class brace_walk {
public:
    explicit brace_walk(const source_text& source) : source_{source} {}

    std::vector<function_length> run()
    {
        for (line_ = 0; line_ < source_.code.size(); ++line_) {
            const std::string& text = source_.code[line_];
            if (text.starts_with('#')) continue;
            for (char c : text) step(c);
            step(' ');
        }
        return std::move(found_);
    }

private:
    enum class brace { scope, function, block, initialiser };

    void step(char c)
    {
        if (c == '{')
            open();
        else if (c == '}')
            close();
        else if (c == ';' && parentheses_ == 0)
            head_.clear();
        else
            extend_head(c);
    }

    void extend_head(char c)
    {
        parentheses_ += (c == '(') - (c == ')');
        if (head_.empty()) {
            if (c == ' ') return;
            head_line_ = line_;
        }
        head_ += c;
    }

    void open()
    {
        const brace kind = classify();
        open_.push_back(kind);
        if (kind == brace::function) {
            function_line_ = head_line_;
            function_name_ = name_in_head();
        }
        if (kind != brace::initialiser) head_.clear();
    }

    void close()
    {
        if (open_.empty()) return;
        const brace kind = open_.back();
        open_.pop_back();
        if (kind == brace::function) {
            const std::string place = source_.path + ":" + std::to_string(function_line_ + 1);
            found_.push_back({place + " " + function_name_, line_ - function_line_ + 1});
        }
        if (kind != brace::initialiser) head_.clear();
    }

    brace classify() const
    {
        if (!open_.empty() && open_.back() == brace::initialiser) return brace::initialiser;
        if (!open_.empty() && open_.back() != brace::scope) return brace::block;
        if (parentheses_ > 0) return brace::initialiser;
        const std::size_t first = head_.find('(');
        if (first == std::string::npos || is_scope()) return brace::scope;
        const std::size_t last = head_.find_last_not_of(' ');
        return has_initialisers() && (is_qualified_word(head_[last]) || head_[last] == '>') ? brace::initialiser
                                                                                  : brace::function;
    }

    bool is_scope() const
    {
        for (std::string_view word : {"class ", "struct ", "enum ", "union ", "namespace ", "extern "})
            if (head_.starts_with(word)) return true;
        return false;
    }

    // `name(…) : member{…}`: a single colon after a closing parenthesis.
    bool has_initialisers() const
    {
        for (std::size_t at = head_.find(')'); at != std::string::npos; at = head_.find(')', at + 1)) {
            const std::size_t next = head_.find_first_not_of(' ', at + 1);
            if (next != std::string::npos && head_[next] == ':' && head_.substr(next, 2) != "::") return true;
        }
        return false;
    }

    std::string name_in_head() const
    {
        const std::size_t end = head_.find('(');
        std::size_t begin = end;
        while (begin > 0 && is_qualified_word(head_[begin - 1])) --begin;
        return head_.substr(begin, end - begin);
    }

    const source_text& source_;
    std::vector<function_length> found_;
    std::vector<brace> open_;
    std::string head_;
    std::string function_name_;
    std::size_t line_ = 0;
    std::size_t head_line_ = 0;
    std::size_t function_line_ = 0;
    int parentheses_ = 0;
};

}  // namespace

std::vector<function_length> measure_functions(const source_text& source) { return brace_walk{source}.run(); }

}  // namespace weft_tidy
