#pragma once

#include <weft/net/server/http_error.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::serve_detail {

class api_call;
class field;

/** What is wrong with a member. */
enum class field_fault : std::uint8_t { missing, type, value };

/** What a protocol throws for a member.
 *  @param place   Where it is, such as `body.limit`. */
using field_refusal = http_error (*)(const std::string& place, std::string_view why, field_fault what);

/** 422, with the code `invalid_query` or `invalid_body`. */
[[nodiscard]] http_error misfit_error(const std::string& place, std::string_view why, field_fault what);

/** The members of an object that clients send, or the values of a query. Each is declared once: by the declaration it
 *  is read, and by the same one `/openapi.json` describes it.
 *
 *      struct list_fields : field_set {
 *          using field_set::field_set;
 *          number_field limit{*this, "limit", "How many at most", {.min = 1, .max = 1000, .otherwise = 10}};
 *      };
 *      const list_fields list{"body"};
 *      const std::size_t limit = list.limit.or_default(body);  // http_error 422: body.limit: expected a number from …
 *
 *  Null counts as left out, as clients in Python send it. Members that are not declared are passed over.
 *
 *  @par Thread safety   Immutable once it is built.
 *  @par Lifetimes       Fields outlive the set that they are in: they are its members. It is not copied. */
class field_set {
public:
    /** @param place     What of the request it is, for messages: `body`, `query`, `params`, `body.command`; empty: all
     *                  of it.
     *  @param refusal   In the words of its protocol. */
    explicit field_set(std::string place, field_refusal refusal = misfit_error)
        : place_{std::move(place)}, refusal_{refusal}
    {
    }
    field_set(const field_set&) = delete;
    field_set& operator=(const field_set&) = delete;

    [[nodiscard]] const std::string& place() const noexcept { return place_; }
    /** The place of a member: `body.limit`. */
    [[nodiscard]] std::string below(std::string_view name) const;
    [[nodiscard]] std::span<const field* const> fields() const noexcept { return fields_; }
    /** As JSON Schema. */
    [[nodiscard]] boost::json::object schema() const;
    /** The same where all members may be left out: of a change, what is not named stays. */
    [[nodiscard]] boost::json::object partial_schema() const;

private:
    friend class field;

    std::string place_;
    field_refusal refusal_;
    std::vector<const field*> fields_;
};

/** Whether a member may be left out. */
enum class field_need : std::uint8_t { optional, required };

/** One member of a `field_set`; which kind of value it has says its class. */
class field {
public:
    field(const field&) = delete;
    field& operator=(const field&) = delete;

    [[nodiscard]] std::string_view name() const noexcept { return name_; }
    [[nodiscard]] std::string_view meaning() const noexcept { return meaning_; }
    [[nodiscard]] bool is_required() const noexcept { return need_ == field_need::required; }
    /** `body.limit` */
    [[nodiscard]] std::string place() const { return of_.below(name_); }
    /** As JSON Schema, without the null that stands for a member that is left out. */
    [[nodiscard]] virtual boost::json::object schema() const = 0;

    /** The member of an object; null if it is left out. @par Errors  `http_error` 422: it is required. */
    [[nodiscard]] const boost::json::value* find(const boost::json::object& from) const;
    /** The same; refused if it is of another type, or out of bounds. */
    [[nodiscard]] const boost::json::value* fitting_in(const boost::json::object& from) const;
    /** The value in a query; nothing if it is left out. @par Errors  As `find`. */
    [[nodiscard]] std::optional<std::string> text_in(const api_call& call) const;
    /** Whether a client sent it. */
    [[nodiscard]] bool is_in(const boost::json::object& from) const noexcept;
    /** @par Errors  Always: the refusal of its set, with the place. */
    [[noreturn]] void refuse(std::string_view why, field_fault what = field_fault::value) const;

protected:
    field(field_set& of, std::string_view name, std::string_view meaning, field_need need);
    ~field() = default;

private:
    /** Refuses what does not fit. Kinds that do not say so leave it to their readers. */
    virtual void check(const boost::json::value&) const {}

    const field_set& of_;
    std::string_view name_;     // literals
    std::string_view meaning_;
    field_need need_;
};

/** A text. One that is required is not empty. */
class text_field final : public field {
public:
    static constexpr std::size_t any_length = static_cast<std::size_t>(-1);

    text_field(field_set& of, std::string_view name, std::string_view meaning,
               field_need need = field_need::optional, std::size_t bytes_max = any_length)
        : field{of, name, meaning, need}, bytes_max_{bytes_max}
    {
    }
    [[nodiscard]] boost::json::object schema() const override;
    [[nodiscard]] std::optional<std::string> in(const boost::json::object& from) const;
    [[nodiscard]] std::optional<std::string> in(const api_call& call) const { return text_in(call); }
    /** Of one that is required. */
    [[nodiscard]] std::string needed_in(const boost::json::object& from) const { return in(from).value(); }
    [[nodiscard]] std::string text_or_empty(const boost::json::object& from) const { return in(from).value_or(""); }

private:
    void check(const boost::json::value& given) const override;

    std::size_t bytes_max_;
};

struct number_range {
    std::int64_t min = 0;
    std::int64_t max = 0;
    std::optional<std::int64_t> otherwise = {};  ///< If it is left out.
    field_need need = field_need::optional;
};

/** A whole number. */
class number_field final : public field {
public:
    number_field(field_set& of, std::string_view name, std::string_view meaning, number_range range)
        : field{of, name, meaning, range.need}, range_{range}
    {
    }
    [[nodiscard]] boost::json::object schema() const override;
    [[nodiscard]] std::optional<std::int64_t> in(const boost::json::object& from) const;
    [[nodiscard]] std::optional<std::int64_t> in(const api_call& call) const;
    /** Of one that has a default, or is required. */
    template <class From>
    [[nodiscard]] std::size_t or_default(const From& from) const
    {
        const std::optional<std::int64_t> given = in(from);
        return static_cast<std::size_t>(given ? *given : range_.otherwise.value());
    }

private:
    void check(const boost::json::value& given) const override;
    [[noreturn]] void refuse_number(field_fault what) const;

    number_range range_;
};

/** A number that need not be whole. */
class real_field final : public field {
public:
    real_field(field_set& of, std::string_view name, std::string_view meaning)
        : field{of, name, meaning, field_need::optional}
    {
    }
    [[nodiscard]] boost::json::object schema() const override { return {{"type", "number"}}; }

private:
    void check(const boost::json::value& given) const override;
};

/** True or false; in a query also 1 or 0. */
class flag_field final : public field {
public:
    flag_field(field_set& of, std::string_view name, std::string_view meaning)
        : field{of, name, meaning, field_need::optional}
    {
    }
    [[nodiscard]] boost::json::object schema() const override;
    [[nodiscard]] std::optional<bool> in(const boost::json::object& from) const;
    [[nodiscard]] std::optional<bool> in(const api_call& call) const;
    /** True only if a client said so. */
    template <class From>
    [[nodiscard]] bool is_set(const From& from) const
    {
        return in(from).value_or(false);
    }

private:
    void check(const boost::json::value& given) const override;
};

/** One of several words. */
class word_field final : public field {
public:
    /** @param words   They outlive the field. */
    word_field(field_set& of, std::string_view name, std::string_view meaning,
               std::span<const std::string_view> words, field_need need = field_need::optional)
        : field{of, name, meaning, need}, words_{words}
    {
    }
    [[nodiscard]] boost::json::object schema() const override;
    /** The place of the word among those there are. */
    [[nodiscard]] std::optional<std::size_t> in(const boost::json::object& from) const;
    [[nodiscard]] std::optional<std::size_t> in(const api_call& call) const;
    [[nodiscard]] std::span<const std::string_view> words() const noexcept { return words_; }

private:
    [[nodiscard]] std::size_t place_of(std::string_view word) const;

    std::span<const std::string_view> words_;
};

/** An object: any, or one whose members are declared as well. */
class object_field final : public field {
public:
    /** @param inner   Its members, which outlive it; null: it may have any. */
    object_field(field_set& of, std::string_view name, std::string_view meaning, const field_set* inner = nullptr,
                 field_need need = field_need::optional)
        : field{of, name, meaning, need}, inner_{inner}
    {
    }
    [[nodiscard]] boost::json::object schema() const override;
    [[nodiscard]] const boost::json::object* in(const boost::json::object& from) const;
    /** As text; an empty object if it is left out. */
    [[nodiscard]] std::string text_or_empty(const boost::json::object& from) const;

private:
    void check(const boost::json::value& given) const override;

    const field_set* inner_;
};

struct list_bounds {
    std::size_t items_max = 1000;
    field_need need = field_need::optional;
    std::span<const std::string_view> words = {};  ///< The only ones there are; empty: any.
};

/** A list of texts, none of which is empty. */
class texts_field final : public field {
public:
    texts_field(field_set& of, std::string_view name, std::string_view meaning, list_bounds bounds = list_bounds{})
        : field{of, name, meaning, bounds.need}, bounds_{bounds}
    {
    }
    [[nodiscard]] boost::json::object schema() const override;
    /** Empty if it is left out. */
    [[nodiscard]] std::vector<std::string> in(const boost::json::object& from) const;

private:
    list_bounds bounds_;
};

/** A value that its reader looks at by itself. */
class value_field final : public field {
public:
    /** @param schema   JSON Schema as text, a literal; empty: any value. */
    value_field(field_set& of, std::string_view name, std::string_view meaning, std::string_view schema = {},
                field_need need = field_need::optional)
        : field{of, name, meaning, need}, schema_{schema}
    {
    }
    /** @param schema   Makes its JSON Schema. */
    value_field(field_set& of, std::string_view name, std::string_view meaning, boost::json::object (*schema)())
        : field{of, name, meaning, field_need::optional}, make_schema_{schema}
    {
    }
    [[nodiscard]] boost::json::object schema() const override;
    [[nodiscard]] const boost::json::value* in(const boost::json::object& from) const { return find(from); }

private:
    std::string_view schema_;
    boost::json::object (*make_schema_)() = nullptr;
};

/** The one set of a kind, made when it is first asked for. */
template <class Fields>
[[nodiscard]] const Fields& fields_of()
{
    static const Fields all{};
    return all;
}

}  // namespace weft::serve_detail
