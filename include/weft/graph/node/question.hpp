#pragma once

#include <weft/base/json.hpp>
#include <weft/base/json/json_schema_of.hpp>

#include <boost/describe/enum.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

/** What kind of answer a person is asked for. */
enum class question_kind : std::uint8_t {
    free_text,    ///< A string.
    structured,   ///< A JSON value that fits the schema.
    selection,    ///< One of the options.
    approval,     ///< True or false.
    multi_field,  ///< An object with the fields as members.
};
BOOST_DESCRIBE_ENUM(question_kind, free_text, structured, selection, approval, multi_field)

/** One field of a question of the kind `multi_field`. */
class question_field {
public:
    question_field() noexcept {}
    explicit question_field(std::string name, std::string text = std::string{})
        : name{std::move(name)}, text{std::move(text)}
    {
    }
    /** What fits, as a JSON Schema; without one a string. */
    question_field& fits(boost::json::object json_schema) { schema = std::move(json_schema); return *this; }
    template <json_convertible T>
    question_field& fits_a()
    {
        return fits(json_schema_of<T>());
    }
    question_field& optional() { required = false; return *this; }

    std::string name;
    std::string text;               ///< What is asked for; empty: the name says it.
    bool required = true;
    boost::json::object schema;     ///< Empty: a string.
};

/** A question to a person. A value.
 *
 *      const weft::question which = weft::question::selection("Which plan?", {"small", "large"}).expires_in(24h);
 *
 *  @par Source   The HITL protocol of Hive, v0.4.4: five kinds of input, options, fields, required, help text.
 */
class question {
public:
    question() noexcept {}
    explicit question(std::string text) : text_{std::move(text)} {}

    [[nodiscard]] static question selection(std::string text, std::vector<std::string> options);
    [[nodiscard]] static question approval(std::string text);
    [[nodiscard]] static question multi_field(std::string text, std::vector<question_field> fields);
    /** @param json_schema  What fits. */
    [[nodiscard]] static question structured(std::string text, boost::json::object json_schema);
    /** A question for what `from_json<T>` reads. */
    template <json_convertible T>
    [[nodiscard]] static question of_type(std::string text)
    {
        return structured(std::move(text), json_schema_of<T>());
    }

    /** More about it, for people. */
    question& help(std::string text) { help_ = std::move(text); return *this; }
    /** Null is an answer too. */
    question& optional() { is_required_ = false; return *this; }
    /** How long an answer may take, from the moment when it was first asked; then `otherwise` is the answer, or the
     *  asking coroutine gets `errc::timeout`. Zero: any time. */
    question& expires_in(std::chrono::nanoseconds limit) { expiry_ = limit; return *this; }
    /** The answer if none comes in time. */
    question& otherwise(boost::json::value answer) { otherwise_ = std::move(answer); return *this; }
    /** Its name in its address, instead of `ask`: for questions that are asked side by side in one visit, so that their
     *  addresses do not depend on which comes first. */
    question& named(std::string name) { name_ = std::move(name); return *this; }
    /** What the answer is about, for the program that shows it: any JSON. */
    question& about(boost::json::value data) { about_ = std::move(data); return *this; }

    [[nodiscard]] const std::string& text() const noexcept { return text_; }
    [[nodiscard]] question_kind kind() const noexcept { return kind_; }
    [[nodiscard]] const std::vector<std::string>& options() const noexcept { return options_; }
    [[nodiscard]] const std::vector<question_field>& fields() const noexcept { return fields_; }
    [[nodiscard]] bool is_required() const noexcept { return is_required_; }
    [[nodiscard]] const std::string& help() const noexcept { return help_; }
    [[nodiscard]] std::chrono::nanoseconds expiry() const noexcept { return expiry_; }
    [[nodiscard]] const std::optional<boost::json::value>& otherwise() const noexcept { return otherwise_; }
    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] const boost::json::value& about() const noexcept { return about_; }

    /** The JSON Schema (draft 2020-12) of the answer. */
    [[nodiscard]] boost::json::object schema() const;

    /** What is wrong with the question itself: a selection without options, two fields of one name, a schema that is
     *  none, an `otherwise` that does not fit. Empty if nothing is. */
    [[nodiscard]] std::string fault() const;

    // For `to_json` and `question_from_json`.
    [[nodiscard]] const boost::json::object& own_schema() const noexcept { return schema_; }
    void set(question_kind kind, std::vector<std::string> options, std::vector<question_field> fields,
             boost::json::object schema);

private:
    std::string text_;
    std::string name_ = "ask";
    std::string help_;
    std::vector<std::string> options_;
    std::vector<question_field> fields_;
    boost::json::object schema_;  // of a structured one
    std::optional<boost::json::value> otherwise_;
    boost::json::value about_;
    std::chrono::nanoseconds expiry_{0};
    question_kind kind_ = question_kind::free_text;
    bool is_required_ = true;
};

/** Checks an answer against its question.
 *
 *  @param where     The question's address, for the message; may be empty.
 *  @par Errors
 *    - `errc::invalid_answer`  where: address and JSON path, e.g. `plan#1/ask#0, $.day`; detail: what was expected and
 *      found. */
void check_answer(const question& asked, const boost::json::value& answer, std::string_view where = {});

/** A question as JSON: `{"text": …, "kind": "selection", "options": […], "schema": {…}, …}`. What has its default is
 *  left out; `schema` is always there. Durations are in milliseconds. */
[[nodiscard]] boost::json::object to_json(const question& from);

/** Reads what `to_json` wrote.
 *  @par Errors  `errc::unexpected_json`, naming the path. */
[[nodiscard]] question question_from_json(const boost::json::value& from);

}  // namespace weft
