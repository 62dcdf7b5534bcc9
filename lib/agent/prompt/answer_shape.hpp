#pragma once

#include <weft/graph/state/state_layout.hpp>
#include <weft/graph/state/write_set.hpp>
#include <weft/model/chat_request.hpp>

#include <boost/json/object.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace weft {
class node_context;
}

namespace weft::agent_detail {

/** A key that a model or a person gives a value to. */
struct answer_key {
    std::string name;
    std::string description = {};
    bool may_be_missing = false;  ///< Null or left out writes nothing.
};

/** What an answer must look like that gives values to keys. Values are updates: the reducers of the keys join them. */
class answer_shape {
public:
    /** @par Errors  `unknown_state_key`, `state_conversion` for a key that is not stored. */
    answer_shape(const std::vector<answer_key>& keys, const state_layout& layout, std::string_view node);

    /** One key that takes any text, and the answer is its value as it is; or no key. */
    [[nodiscard]] bool is_text() const noexcept;

    /** What to ask a model for, to be read by the model. */
    [[nodiscard]] std::string instructions() const;
    /** A JSON Schema of the object; strict where each key says all that its values are. */
    [[nodiscard]] output_schema schema() const;

    /** Reads an answer, which may have words and fences around its object.
     *  @par Errors  `invalid_model_reply`, naming node and key. */
    [[nodiscard]] std::vector<state_write> read(std::string_view answer, const node_context& node) const;

    /** What `node` wrote on its last visit, as an answer; empty if nothing. */
    [[nodiscard]] std::string prior_answer(const node_context& node) const;

    /** An object that fits, of plain values.
     *  @param text   The value of texts. */
    [[nodiscard]] boost::json::object plain_object(std::string_view text) const;

private:
    struct member {
        const answer_key* key;
        std::uint32_t slot;
        const value_type* type;  ///< Of the update.
    };
    [[nodiscard]] value_ptr value_of(const member& of, const boost::json::object& object,
                                     const node_context& node) const;

    std::vector<member> members_;
};

/** Whether values of a type can be made up: those of graph files can, those of a program's own types perhaps not. */
[[nodiscard]] bool has_plain_value(const value_type& type);

/** `a number`, `one of "left", "right"`, …; how a value of a type is written in JSON. */
[[nodiscard]] std::string words_for(const value_type& type);

}  // namespace weft::agent_detail
