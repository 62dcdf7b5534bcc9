#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace weft {

class expression_arena;
class expression_mapping;

namespace expression_detail {
struct big_integer;
}

/** What a value is in an expression. */
enum class expression_kind : std::uint8_t {
    none,
    boolean,
    integer,      ///< Of 64 bits.
    big_integer,  ///< Does not fit into `integer`.
    real,
    text,         ///< UTF-8; counted and indexed in code points.
    list,
    tuple,
    set,
    dict,
    keys,         ///< What `dict.keys()` returns; compares like a set.
    values,       ///< What `dict.values()` returns.
    items,        ///< What `dict.items()` returns; compares like a set.
};

/** A value of an expression: a scalar itself, or a view of a text or container that is held elsewhere.
 *
 *  @par Thread safety   As a value.
 *  @par Lifetimes       What it views outlives it: the state, a JSON value, or the arena of the evaluation.
 */
class expression_value {
public:
    /** Where the items of a container are, or the digits of a big integer. */
    enum class place : std::uint8_t { here, json, arena, mapping };

    /** None. */
    constexpr expression_value() noexcept : number_{0} {}

    /** True or False. */
    [[nodiscard]] static expression_value boolean(bool from) noexcept
    {
        expression_value v{expression_kind::boolean};
        v.number_ = from ? 1 : 0;
        return v;
    }
    /** An integer of 64 bits. */
    [[nodiscard]] static expression_value integer(std::int64_t from) noexcept
    {
        expression_value v{expression_kind::integer};
        v.number_ = from;
        return v;
    }
    /** An unsigned integer; a big one beyond the signed ones. */
    [[nodiscard]] static expression_value natural(std::uint64_t from) noexcept
    {
        if (from <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
            return integer(static_cast<std::int64_t>(from));
        expression_value v{expression_kind::big_integer};
        v.natural_ = from;
        return v;
    }
    /** An integer of more than 64 bits, whose digits are held elsewhere. */
    [[nodiscard]] static expression_value big(const expression_detail::big_integer& from) noexcept
    {
        expression_value v{expression_kind::big_integer, place::arena};
        v.big_ = &from;
        return v;
    }
    [[nodiscard]] static expression_value real(double from) noexcept
    {
        expression_value v{expression_kind::real};
        v.real_ = from;
        return v;
    }
    /** A view of a text. */
    [[nodiscard]] static expression_value text(std::string_view from) noexcept
    {
        expression_value v{expression_kind::text};
        v.size_ = from.size();
        v.text_ = from.data();
        return v;
    }
    /** A view of a JSON value. */
    [[nodiscard]] static expression_value json(const boost::json::value& from) noexcept;
    /** A view of a JSON array as a list. */
    [[nodiscard]] static expression_value json(const boost::json::array& from) noexcept
    {
        expression_value v{expression_kind::list, place::json};
        v.size_ = from.size();
        v.array_ = &from;
        return v;
    }
    /** A view of a JSON object as a dict. */
    [[nodiscard]] static expression_value json(const boost::json::object& from) noexcept
    {
        expression_value v{expression_kind::dict, place::json};
        v.size_ = from.size();
        v.object_ = &from;
        return v;
    }
    /** A dict that makes its members when they are asked for. */
    [[nodiscard]] static expression_value mapping(const expression_mapping& from) noexcept
    {
        expression_value v{expression_kind::dict, place::mapping};
        v.mapping_ = &from;
        return v;
    }
    /** A container of `size` values; of a dict's pairs of key and value, one after the other. */
    [[nodiscard]] static expression_value container(expression_kind kind, const expression_value* items,
                                                    std::size_t size) noexcept
    {
        expression_value v{kind, place::arena};
        v.size_ = size;
        v.items_ = items;
        return v;
    }
    /** The same items as another sequence: lists, tuples and sets do not change, so they can share. */
    [[nodiscard]] expression_value as(expression_kind kind) const noexcept
    {
        expression_value v = *this;
        v.kind_ = kind;
        return v;
    }

    [[nodiscard]] expression_kind kind() const noexcept { return kind_; }
    [[nodiscard]] place where() const noexcept { return place_; }
    [[nodiscard]] bool is(expression_kind kind) const noexcept { return kind_ == kind; }
    [[nodiscard]] bool is_none() const noexcept { return kind_ == expression_kind::none; }

    /** Of a boolean or an integer. */
    [[nodiscard]] std::int64_t as_integer() const noexcept { return number_; }
    [[nodiscard]] std::uint64_t as_natural() const noexcept { return natural_; }
    [[nodiscard]] double as_real() const noexcept { return real_; }
    [[nodiscard]] std::string_view as_text() const noexcept { return {text_, size_}; }
    [[nodiscard]] const expression_detail::big_integer& as_big() const noexcept { return *big_; }
    [[nodiscard]] const boost::json::array& as_array() const noexcept { return *array_; }
    [[nodiscard]] const boost::json::object& as_object() const noexcept { return *object_; }
    [[nodiscard]] const expression_mapping& as_mapping() const noexcept { return *mapping_; }
    [[nodiscard]] const expression_value* as_items() const noexcept { return items_; }
    /** Bytes of a text, items of a container, pairs of a dict; not of a mapping. */
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
    constexpr explicit expression_value(expression_kind kind, place where = place::here) noexcept
        : kind_{kind}, place_{where}, number_{0}
    {
    }

    expression_kind kind_ = expression_kind::none;
    place place_ = place::here;
    std::size_t size_ = 0;
    union {
        std::int64_t number_;
        std::uint64_t natural_;
        double real_;
        const char* text_;
        const expression_detail::big_integer* big_;
        const boost::json::array* array_;
        const boost::json::object* object_;
        const expression_mapping* mapping_;
        const expression_value* items_;
    };
};

/** A dict that makes its members when they are asked for, such as the state of a branch.
 *
 *  @par Lifetimes   Outlives the evaluation and its result.
 */
class expression_mapping {
public:
    virtual ~expression_mapping() = default;

    /** Finds a member. @return Whether there is one.
     *  @param arena   Keeps what has to be made for it. */
    [[nodiscard]] virtual bool find(std::string_view name, expression_value& into, expression_arena& arena) const = 0;
    /** All members; asked for when an expression looks at the dict as a whole. */
    [[nodiscard]] virtual boost::json::object to_json() const = 0;
};

inline expression_value expression_value::json(const boost::json::value& from) noexcept
{
    switch (from.kind()) {
    case boost::json::kind::null: return {};
    case boost::json::kind::bool_: return boolean(from.get_bool());
    case boost::json::kind::int64: return integer(from.get_int64());
    case boost::json::kind::uint64: return natural(from.get_uint64());
    case boost::json::kind::double_: return real(from.get_double());
    case boost::json::kind::string: return text({from.get_string().data(), from.get_string().size()});
    case boost::json::kind::array: return json(from.get_array());
    case boost::json::kind::object: return json(from.get_object());
    }
    return {};
}

}  // namespace weft
