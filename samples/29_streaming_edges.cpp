// Sample 29, streaming edges: a node reads what another one still writes. A model writes a story; one node
// makes each piece loud, another one prints it at once, while the model goes on.

#include <weft/weft.hpp>

#include <weft/async/run_blocking.hpp>
#include <weft/graph/streaming.hpp>
#include <weft/model/chat/reply_text.hpp>
#include <weft/testing/scripted_model.hpp>

#include <cctype>
#include <iostream>
#include <memory>
#include <string>

// [nodes]
inline constexpr weft::stream_key<std::string> story{"story"};
inline constexpr weft::stream_key<std::string> loud{"loud"};

// Reads a stream and gives another one.
weft::async_generator<std::string> shout(weft::node_context&, weft::async_generator<std::string> pieces)
{
    for (;;) {
        std::string* const piece = co_await pieces.next();
        if (!piece) break;
        for (char& letter : *piece)
            letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
        co_yield *piece;
    }
}

// Reads a stream. Each piece is here before the writer goes on.
weft::task<void> print(weft::node_context&, weft::async_generator<std::string> pieces)
{
    for (;;) {
        std::string* const piece = co_await pieces.next();
        if (!piece) break;
        std::cout << *piece << std::flush;
    }
    std::cout << '\n';
}
// [/nodes]

// [graph]
weft::graph storyteller(const std::shared_ptr<weft::chat_model>& model)
{
    const auto write = [model](weft::node_context&) {
        weft::chat_request request;
        request.messages.push_back(weft::message::user("Tell a story."));
        return weft::reply_text(model, std::move(request));
    };
    return weft::graph_builder{"storyteller"}
        .state(story)  // so that the whole is kept when the stream has ended
        .node("write", weft::streaming(write, story))
        .node("shout", weft::streaming(story, shout, loud))
        .node("print", weft::streaming(loud, print))
        .edge(weft::start, "write")
        .edge_stream("write", "shout")
        .edge_stream("shout", "print")
        .build();
}
// [/graph]

int main()
{
    const auto model = std::make_shared<weft::testing::scripted_model>();
    model->then(weft::testing::scripted_turn{}.text("Once ").text("upon ").text("a ").text("time."));
    const weft::run_result result = weft::run_blocking(storyteller(model), weft::run_request{});
    if (!result.ok()) {
        std::cerr << result.message() << '\n';
        return 1;
    }
    std::cout << "kept: " << result.get(story.whole()) << '\n';
}
