#pragma once

#include <weft/chat/message.hpp>
#include <weft/graph/graph.hpp>
#include <weft/graph/state/state.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace weft::serve_detail {

/** How a protocol of conversations speaks with a graph: OpenAI, AG-UI, A2A.
 *
 *      const chat_graph& chat = order.graph->chat;
 *      body.input = chat.input(messages, text);
 *      …
 *      chat.answer(*ending.values);
 *
 *  A graph with a key of messages gets them, and says what its assistant has written since the user's last one.
 *  A graph without one gets the text of the last message: as the value of the one key of texts that no node writes; of
 *  several, of the one named `input`, `question`, `prompt`, `query`, `message` or `text`; or, if the text is a JSON
 *  object, as the values of its keys. It says the one text that nodes write; of several, the one named `output`,
 *  `answer`, `reply`, `response`, `result` or `report`, else all of its values as JSON.
 *
 *  It looks at each key and node of the graph: a server makes one for a graph (`hosted_graph`), and none for a request.
 *  @par Thread safety   Immutable. */
class chat_graph {
public:
    explicit chat_graph(const weft::graph& of);

    /** The key of messages, `messages` if there are several; empty: none. */
    [[nodiscard]] const std::string& messages_key() const noexcept { return messages_; }
    /** The key of the tools that clients send; empty: none, and they are passed over. */
    [[nodiscard]] const std::string& client_tools_key() const noexcept { return client_tools_; }
    /** The key that takes a text, of a graph without messages; empty: none. */
    [[nodiscard]] const std::string& text_key() const noexcept { return text_; }
    /** The key of what it says: that of messages, or of its answer; empty: all of its keys. */
    [[nodiscard]] std::string answer_key() const;

    /** Values for the input of a run.
     *  @param messages   New ones, in LangChain's form; of use to a graph with a key of them.
     *  @param text       Of the last one; of use to the others.
     *  @par Errors       `http_error` 422: the graph takes no text; it says its keys. */
    [[nodiscard]] boost::json::object input(boost::json::array messages, std::string_view text) const;

    /** The messages that a run has added to a conversation: those behind the last one of a user, also those of tools.
     *  Empty for a graph without a key of messages. */
    [[nodiscard]] std::vector<message> added(const state& left) const;
    /** What a run says in the end: the texts of the assistant's messages without calls of tools, else as above. */
    [[nodiscard]] std::string answer(const state& left) const;

private:
    std::string name_;
    std::string messages_;
    std::string client_tools_;
    std::string text_;    // the key that takes a text; empty: none
    std::string output_;  // the key of the answer; empty: not known
    std::string keys_;    // for people
    std::vector<std::string> texts_;  // keys of texts, of a graph without messages
    weft::graph graph_;
};

}  // namespace weft::serve_detail
