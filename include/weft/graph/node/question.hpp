#pragma once

#include <weft/base/chrono.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_schema_of.hpp>

#include <boost/describe/enum.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

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
struct question_field {
    question_field() noexcept {}
    explicit question_field(std::string name, std::string text = {}, boost::json::object schema = {})
        : name{std::move(name)}, text{std::move(text)}, schema{std::move(schema)}
    {
    }

    std::string name;
    std::string text;            ///< What is asked for; empty: the name says it.
    bool required = true;
    boost::json::object schema;  ///< What fits, such as `json_schema_of<int>()`; empty: a string.
};

/** A question to a person. A value.
 *
 *      weft::question which = weft::question::selection("Which plan?", {"small", "large"});
 *      which.expires_in = 24h;
 *      const auto plan = co_await ctx.ask<std::string>(std::move(which));
 *
 *  @par Source   The HITL protocol of Hive, v0.4.4: five kinds of input, options, fields, required, help text.
 */
struct question {
    question() noexcept {}
    explicit question(std::string text, question_kind kind = question_kind::free_text)
        : text{std::move(text)}, kind{kind}
    {
    }

    [[nodiscard]] static question selection(std::string text, std::vector<std::string> options);
    [[nodiscard]] static question approval(std::string text);
    [[nodiscard]] static question multi_field(std::string text, std::vector<question_field> fields);
    [[nodiscard]] static question structured(std::string text, boost::json::object json_schema);
    /** A question for what `from_json<T>` reads. */
    template <json_convertible T>
    [[nodiscard]] static question of_type(std::string text)
    {
        return structured(std::move(text), json_schema_of<T>());
    }

    /** The JSON Schema (draft 2020-12) of the answer, whatever the kind. */
    [[nodiscard]] boost::json::object answer_schema() const;

    /** What is wrong with the question itself: a selection without options, two fields of one name, a schema that is
     *  none, an `otherwise` that does not fit. Empty if nothing is. */
    [[nodiscard]] std::string fault() const;

    std::string text;
    question_kind kind = question_kind::free_text;
    std::vector<std::string> options;    ///< Of a selection.
    std::vector<question_field> fields;  ///< Of the kind `multi_field`.
    boost::json::object schema;          ///< Of a structured one.
    std::string help;                    ///< More about it, for people.
    bool is_required = true;             ///< If not, null is an answer too.
    /** How long an answer may take, from the moment when it was first asked; then `otherwise` is the answer, or the
     *  asking coroutine gets `errc::timeout`. Zero: any time. */
    std::chrono::nanoseconds expires_in{0};
    std::optional<boost::json::value> otherwise;  ///< The answer if none comes in time.
    /** For a wait that ends by itself, when it expires: its run does not pause because only answers are missing. A
     *  durable one stays with its process for `durable_options::park_for` and then rests in the store, which makes it
     *  ready again when the question expires. Its node asks anew, so that this is not stored. */
    bool keeps_run_awake = false;
    /** Its name in its address: questions that are asked side by side in one visit have names of their own, so that
     *  their addresses do not depend on which comes first. */
    std::string name = "ask";
    boost::json::value about;  ///< What the answer is about, for the program that shows it.
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
