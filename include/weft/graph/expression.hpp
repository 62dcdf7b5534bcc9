#pragma once

#include <weft/graph/edge/edge.hpp>
#include <weft/graph/expression/expression_arena.hpp>
#include <weft/graph/state/expression_value.hpp>
#include <weft/graph/state/write_set.hpp>

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

class bound_expression;

namespace expression_detail {
struct program;
}

/** What bounds an expression and each of its evaluations. */
struct expression_limits {
    std::size_t text_bytes_max = 64 * 1024;
    std::size_t nesting_max = 200;             ///< Brackets, signs, powers and `else` inside one another.
    std::size_t instructions_max = 32 * 1024;
    std::size_t steps_max = 10'000'000;        ///< Of one evaluation: instructions, and items they look at.
    std::size_t memory_bytes_max = 4u << 20;   ///< Of all that one evaluation makes.
};

/** A name that an expression uses. */
struct expression_name {
    std::string text;
    std::uint64_t hash;    ///< `hash_of_name(text)`.
    std::uint32_t index;   ///< Among the names of the expression, from 0.
    std::uint32_t offset;  ///< Where it is used first, in bytes from the beginning of the text.
};

/** Where the names of an expression have their values. */
class expression_scope {
public:
    virtual ~expression_scope() = default;

    /** Finds the value of a name. @return False if it has none: the evaluation ends with a NameError.
     *  @param arena   Keeps what has to be made for it. */
    [[nodiscard]] virtual bool find(const expression_name& name, expression_value& into,
                                    expression_arena& arena) const = 0;
};

/** What an evaluation came to: a value or an error.
 *
 *  @par Lifetimes   The value may view what the scope has; `to_json` copies it. It keeps the expression's own texts.
 */
class expression_result {
public:
    /** Whether the value is true in the sense of Python. An error is false. */
    [[nodiscard]] bool holds() const noexcept { return holds_; }
    [[nodiscard]] bool has_error() const noexcept { return !error_.empty(); }
    /** E.g. `line 1, column 5: TypeError: '<' not supported between instances of 'str' and 'int'`. */
    [[nodiscard]] const std::string& error() const noexcept { return error_; }
    [[nodiscard]] const expression_value& value() const noexcept { return value_; }
    /** The value as Python's `repr` shows it, or the error. */
    [[nodiscard]] std::string text() const;
    /** The value: tuples, sets and views of dicts as arrays, integers beyond 64 bits as the nearest double. */
    [[nodiscard]] boost::json::value to_json() const;

private:
    friend class expression;
    explicit expression_result(std::size_t memory_bytes_max) noexcept : arena_{memory_bytes_max} {}

    expression_arena arena_;
    std::shared_ptr<const expression_detail::program> program_;  // whose constants the value may view
    expression_value value_;
    bool holds_ = false;
    std::string error_;
};

/** A condition in a subset of Python, compiled: `confidence >= 0.8 and category in ['billing', 'technical']`.
 *
 *  There are literals; list, tuple and dict displays; `+ - * / // % ** << >> | ^ & ~`; comparisons, chained;
 *  `in`, `is`, `and`, `or`, `not`, `a if c else b`; subscripts without slices; names (`true` and `false` as well);
 *  the functions len int float str bool list dict tuple set min max sum abs round all any; the methods get keys values
 *  items lower upper strip split; and attributes, which are the members of dicts and structs. All mean what they mean
 *  in Python 3; integers have up to 4096 bits and exponents up to 1000. Texts are Unicode; `%` does not format them.
 *  Names have no fullwidth letters. An empty text is true.
 *
 *  An evaluation has no effect but its result, takes bounded time and memory, and allocates nothing when it only
 *  compares, calculates with and looks up numbers and texts.
 *
 *  @par Thread safety   Immutable: copies share, any OS thread may evaluate.
 *  @par Source          The Python Language Reference 3.11, section 6 (Expressions)
 */
class expression {
public:
    /** Translates a text.
     *  @par Errors
     *    - `errc::invalid_expression`  where: `line 1, column 5`; the text is no expression, uses what is not allowed,
     *      or is beyond a limit. */
    [[nodiscard]] static expression compile(std::string_view text, const expression_limits& limits = {});

    /** Its value. What goes wrong is in the result; only `std::bad_alloc` is thrown. */
    [[nodiscard]] expression_result evaluate(const expression_scope& scope) const;

    [[nodiscard]] const std::string& text() const noexcept;
    /** The names it uses, each once. */
    [[nodiscard]] std::span<const expression_name> names() const noexcept;

    /** What is wrong with its names for a graph with these keys, a sentence each, with position and suggestion.
     *  @param suggestions_max   Mistakes after these name no keys, which costs time for each key of the graph. */
    [[nodiscard]] std::vector<std::string> mistakes(const state_layout& layout,
                                                    std::size_t suggestions_max = 100) const;
    /** The expression with its names resolved to keys, besides which there are `output`, `memory` and `result`.
     *  @par Errors  `unknown_state_key` lists all of `mistakes`. */
    [[nodiscard]] bound_expression bind(const state_layout& layout) const;

private:
    friend class expression_result;
    explicit expression(std::shared_ptr<const expression_detail::program> compiled) noexcept;

    std::shared_ptr<const expression_detail::program> program_;
};

/** What a name of an expression stands for in a graph. */
struct bound_name {
    enum class meaning : std::uint8_t { key, memory, output, result };
    meaning is;
    std::uint32_t slot;  ///< Of a key.
};

/** An expression over the state of a graph.
 *
 *  A key without a value is None. `memory` is the whole state as a dict; `output` what the node before the edge
 *  returned; `result` its member of that name, or None. A key called like one of these three hides it.
 *
 *  @par Thread safety   As `expression`.
 */
class bound_expression {
public:
    /** Its value for a branch.
     *  @param output   What the node wrote, by key; null for an empty dict. Outlives the result. */
    [[nodiscard]] expression_result evaluate(const state_view& state, const expression_mapping* output = nullptr) const;
    [[nodiscard]] const expression& source() const noexcept { return source_; }

private:
    friend class expression;
    bound_expression(expression source, std::vector<bound_name> names) noexcept;

    expression source_;
    std::vector<bound_name> names_;
};

/** What a node wrote, as a dict: of a key that it wrote more than once only the last value.
 *
 *  @par Lifetimes   Views both.
 */
class written_mapping final : public expression_mapping {
public:
    written_mapping(const write_set& writes, const state_layout& layout) noexcept : writes_{writes}, layout_{layout} {}

    [[nodiscard]] bool find(std::string_view name, expression_value& into, expression_arena& arena) const override;
    [[nodiscard]] boost::json::object to_json() const override;

private:
    const write_set& writes_;
    const state_layout& layout_;
};

/** The members of a JSON object as names, and the object as a dict.
 *
 *  @par Lifetimes   Views the object.
 */
class json_scope final : public expression_scope, public expression_mapping {
public:
    explicit json_scope(const boost::json::object& values) noexcept : values_{values} {}

    [[nodiscard]] bool find(const expression_name& name, expression_value& into, expression_arena&) const override;
    [[nodiscard]] bool find(std::string_view name, expression_value& into, expression_arena&) const override;
    [[nodiscard]] boost::json::object to_json() const override { return values_; }

private:
    const boost::json::object& values_;
};

}  // namespace weft
