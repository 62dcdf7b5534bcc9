#pragma once

#include <weft/async/async_generator.hpp>
#include <weft/base/error.hpp>
#include <weft/base/memory/shared_block.hpp>
#include <weft/graph/node/node.hpp>
#include <weft/graph/node/running_stream.hpp>
#include <weft/graph/node/stream_key.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace weft {

/** What a stream throws that is void although pieces of it were read: the call of a model broke off and began anew. Its
 *  writer goes on to its end. What the readers did is dropped, and each reads the whole in its own visit.
 *
 *  For a `stream_body` that `keeps_whole`; any other writer that throws it has failed. */
class stream_retracted : public error {
public:
    explicit stream_retracted(std::string_view node);
};

/** The work of a node that gives a stream, reads one, or both.
 *
 *  `graph_builder::edge_stream` joins them: the reader begins with the writer. Over any other edge it begins when the
 *  writer has ended, and reads what the state has of the stream. */
class stream_body : public node_body {
public:
    stream_body(std::optional<any_state_key> reads, std::optional<any_state_key> gives) noexcept
        : node_body{true, false}, reads_{reads}, gives_{gives}
    {
    }

    /** The whole of the stream that it reads; nothing: it reads none. */
    [[nodiscard]] const std::optional<any_state_key>& reads() const noexcept { return reads_; }
    /** The whole of the stream that it gives. */
    [[nodiscard]] const std::optional<any_state_key>& gives() const noexcept { return gives_; }

    /** Begins the stream that it gives. `in` is null if it reads none, and outlives the result. */
    [[nodiscard]] virtual std::unique_ptr<running_stream> open(node_context& node, running_stream* in) const = 0;
    /** The work of a node that gives no stream. `in` outlives the task. */
    [[nodiscard]] virtual task<void> read(node_context& node, running_stream& in) const = 0;
    /** What the state has of the stream that it reads, as a stream. */
    [[nodiscard]] virtual std::unique_ptr<running_stream> recorded(const value_box& whole) const = 0;

    /** Whether its own work writes the whole of what it gives, so that the run keeps no pieces. Such a stream is read
     *  to its end also if all readers leave. */
    [[nodiscard]] virtual bool keeps_whole() const noexcept { return false; }

    /** Whether it begins with its writer in this run. One that does not begins behind it, as over any other edge.
     *  @param writer   The visit of the first writer. */
    [[nodiscard]] virtual bool begins_with_writer(const node_context& /*writer*/) const { return true; }

    void run(node_context&, command&) const final {}
    /** The node by itself: it reads what the state has, and leaves its whole stream there. */
    [[nodiscard]] node_task make(node_context& node) const override { return node_task{run_alone(*this, node)}; }

private:
    static task<void> run_alone(const stream_body& self, node_context& node);

    std::optional<any_state_key> reads_;
    std::optional<any_state_key> gives_;
};

namespace graph_detail {

/** Instead of the key of a stream that a node does not read or give. */
struct no_stream {
    using item_type = char;
};

template <class T>
[[nodiscard]] std::optional<any_state_key> whole_of(const stream_key<T>& key) noexcept
{
    const any_state_key whole = key;
    return whole;
}
[[nodiscard]] inline std::optional<any_state_key> whole_of(const no_stream&) noexcept { return std::nullopt; }

/** A callable as a node of streams. */
template <class Function, class In, class Out>
class function_stream final : public stream_body {
    using in_item = typename In::item_type;
    using out_item = typename Out::item_type;
    static constexpr bool has_input = !std::is_same_v<In, no_stream>;
    static constexpr bool has_output = !std::is_same_v<Out, no_stream>;

public:
    function_stream(In in, Function function, Out out)
        : stream_body{whole_of(in), whole_of(out)}, function_{std::move(function)}
    {
    }

    std::unique_ptr<running_stream> open(node_context& node, [[maybe_unused]] running_stream* in) const override
    {
        if constexpr (has_output && has_input)
            return std::make_unique<typed_stream<out_item>>(
                std::invoke(function_, node, static_cast<typed_stream<in_item>&>(*in).lend()));
        else if constexpr (has_output)
            return std::make_unique<typed_stream<out_item>>(std::invoke(function_, node));
        else
            return nullptr;
    }
    task<void> read(node_context& node, running_stream& in) const override
    {
        if constexpr (has_output)
            return {};
        else
            return std::invoke(function_, node, static_cast<typed_stream<in_item>&>(in).lend());
    }
    std::unique_ptr<running_stream> recorded(const value_box& whole) const override
    {
        if constexpr (has_input)
            return typed_stream<in_item>::of_whole(unboxed<typename stream_whole<in_item>::type>(whole));
        else
            return nullptr;
    }

private:
    Function function_;
};

template <class Function, class... Arguments>
using stream_result = std::invoke_result_t<const Function&, node_context&, Arguments...>;

}  // namespace graph_detail

/** A node that gives a stream: `async_generator<T> write(node_context&)`.
 *
 *      builder.node("write", weft::streaming(write, draft)) */
template <class Function, class T>
    requires std::is_same_v<graph_detail::stream_result<Function>, async_generator<T>>
[[nodiscard]] std::shared_ptr<const node_body> streaming(Function write, const stream_key<T>& gives)
{
    using node = graph_detail::function_stream<Function, graph_detail::no_stream, stream_key<T>>;
    return make_shared_as<const node_body, node>(graph_detail::no_stream{}, std::move(write), gives);
}

/** A node that reads a stream and gives another one: `async_generator<U> change(node_context&, async_generator<T>)`. */
template <class T, class Function, class U>
    requires std::is_same_v<graph_detail::stream_result<Function, async_generator<T>>, async_generator<U>>
[[nodiscard]] std::shared_ptr<const node_body> streaming(const stream_key<T>& reads, Function change,
                                                         const stream_key<U>& gives)
{
    using node = graph_detail::function_stream<Function, stream_key<T>, stream_key<U>>;
    return make_shared_as<const node_body, node>(reads, std::move(change), gives);
}

/** A node that reads a stream: `task<void> send(node_context&, async_generator<T>)`. */
template <class T, class Function>
    requires std::is_same_v<graph_detail::stream_result<Function, async_generator<T>>, task<void>>
[[nodiscard]] std::shared_ptr<const node_body> streaming(const stream_key<T>& reads, Function read)
{
    using node = graph_detail::function_stream<Function, stream_key<T>, graph_detail::no_stream>;
    return make_shared_as<const node_body, node>(reads, std::move(read), graph_detail::no_stream{});
}

}  // namespace weft
