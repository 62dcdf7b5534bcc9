#include <weft/facade/state/state_stream.hpp>

#include <weft/async/loop/serial_loop.hpp>
#include <weft/base/error.hpp>
#include <weft/engine/scheduler/frontier.hpp>

#include <weft/engine/run/execution_meta.hpp>

#include <exception>
#include <memory>
#include <utility>

namespace weft {

/** One streamed run: makes chunks of its events and of where it stands. */
class state_streaming : public std::enable_shared_from_this<state_streaming> {
public:
    state_streaming(stream_granularity how, std::function<void(const stream_chunk&)> on_chunk)
        : how_{how}, on_chunk_{std::move(on_chunk)}
    {
    }

    static task<state_result> run(compiled_state_graph graph, state_request request,
                                  std::shared_ptr<state_streaming> self)
    {
        serial_loop& loop = co_await this_task::loop();
        if (request.thread_.empty()) request.thread_ = graph.new_thread_id(loop.random());
        self->begin(graph, request);
        std::exception_ptr failed;
        state_result result;
        try {
            state_result whole = co_await graph.invoke(std::move(request));
            result = std::move(whole);
        } catch (...) {
            failed = std::current_exception();
        }
        if (self->refused_) std::rethrow_exception(self->refused_);  // what `on_chunk` threw
        if (failed) {
            self->tell_error(failed);
            std::rethrow_exception(failed);
        }
        self->end(result);
        co_return result;
    }

private:
    void begin(const compiled_state_graph& graph, state_request& request)
    {
        thread_ = request.thread_;
        const auto before = graph.threads() ? graph.threads()->load(thread_) : std::nullopt;
        if (before && before->at) {
            const state kept = before->at->root->snapshot();
            if (const list<message>* const said = kept.find(context_key)) told_ = said->size();
        }
        told_ += request.messages_.size();
        const auto self = shared_from_this();
        request.watcher_ = [self, first = std::move(request.watcher_)](const run_event& event) {
            if (event.what == run_event::kind::output && event.label == "output") self->tell_delta(event);
            if (first) first(event);
        };
        run_options::save_function first;
        if (const run_options::save_function* const save = request.options_.on_save()) first = *save;
        request.options_.on_save([self, first = std::move(first)](const frontier& where) {
            if (first) first(where);
            self->tell_state(where.root->snapshot());
            if (self->refused_) std::rethrow_exception(self->refused_);
        });
    }

    void give(stream_chunk chunk)
    {
        if (refused_) return;
        chunk.thread_id = thread_;
        if (chunk.node.empty()) chunk.node = node_;
        try {
            on_chunk_(chunk);
        } catch (...) {
            refused_ = std::current_exception();
        }
    }

    void tell_delta(const run_event& event)
    {
        stream_chunk chunk;
        chunk.message = message::assistant(event.text);
        chunk.is_delta = true;
        chunk.node = std::string{event.node};
        give(std::move(chunk));
    }

    void tell_messages(const list<message>& said)
    {
        for (; told_ < said.size(); ++told_) {
            stream_chunk chunk;
            chunk.message = said[told_];
            give(std::move(chunk));
        }
    }

    void tell_state(state now)
    {
        if (const execution_meta* const meta = now.find(execution_meta_key)) node_ = meta->current_node;
        if (const list<message>* const said = now.find(context_key)) tell_messages(*said);
        if (how_ == stream_granularity::low) return;
        stream_chunk chunk;
        chunk.kind = stream_chunk_kind::state;
        chunk.state = how_ == stream_granularity::full ? std::move(now) : only_context(now);
        give(std::move(chunk));
    }

    static state only_context(const state& whole)
    {
        state part{whole.shared_layout()};
        const std::uint32_t context = whole.layout().find(context_key.name());
        for (std::uint32_t slot = 0; slot < whole.layout().size(); ++slot)
            part.writable(slot) = slot == context ? whole.at(slot) : value_ptr{};
        return part;
    }

    void tell_error(const std::exception_ptr& why)
    {
        stream_chunk chunk;
        chunk.kind = stream_chunk_kind::error;
        chunk.text = text_of(why);
        give(std::move(chunk));
    }

    void end(const state_result& result)
    {
        tell_state(result.state);
        stream_chunk chunk;
        chunk.kind = stream_chunk_kind::updates;
        chunk.state = result.state;
        chunk.text = name_of(result.status);
        give(std::move(chunk));
        if (refused_) std::rethrow_exception(refused_);
    }

    stream_granularity how_;
    std::function<void(const stream_chunk&)> on_chunk_;
    std::string thread_;
    std::string node_;      // where the run is
    std::size_t told_ = 0;  // messages of the conversation that are known outside
    std::exception_ptr refused_;
};

task<state_result> stream_state(compiled_state_graph graph, state_request request, stream_granularity how,
                                std::function<void(const stream_chunk&)> on_chunk)
{
    return state_streaming::run(std::move(graph), std::move(request),
                                std::make_shared<state_streaming>(how, std::move(on_chunk)));
}

}  // namespace weft
