#include "stream_pipeline.hpp"

#include <weft/async/scope.hpp>
#include <weft/base/error.hpp>
#include <weft/graph/node_context.hpp>

#include <utility>

namespace weft::graph_detail {

namespace {

using outcome_type = compiled_key<stream_outcome_ptr, replace, true>;

/** What a reader asks of the run before its own visit has begun: what needs a visit is refused. */
class reader_host final : public node_host {
public:
    explicit reader_host(node_context& writer) noexcept : writer_{writer} {}

    void emit(const node_context& from, std::string_view kind, std::string_view text) override
    {
        outer().emit(from, kind, text);
    }
    bool is_watched() const noexcept override { return outer().is_watched(); }
    std::string_view thread() const noexcept override { return outer().thread(); }
    std::string_view tenant() const noexcept override { return outer().tenant(); }
    std::shared_ptr<budget_ledger> budget() const noexcept override { return outer().budget(); }
    std::shared_ptr<const trace_context> trace(const node_context&) const override { return outer().trace(writer_); }
    std::string purpose() const override { return outer().purpose(); }
    std::shared_ptr<const item_space> memory(const node_context&) const override { return outer().memory(writer_); }
    run_remaining remaining() const override { return outer().remaining(); }
    bool keeps_effects() const noexcept override { return outer().keeps_effects(); }
    /** An effect of the writer's attempt: its key is another one than in the reader's own visit, which knows the whole
     *  stream. */
    effect_context name_effect(node_context& node, std::string_view name) override
    {
        std::string own = std::string{node.node()} + "." + std::string{name};
        own.append(".").append(std::to_string(writer_.attempt()));
        return outer().name_effect(writer_, own);
    }
    task<command> run_inside(node_context& node, const subgraph&) override { refuse(node, "run a graph"); }
    task<boost::json::value> interrupt(node_context& node, question) override { refuse(node, "ask"); }
    task<boost::json::value> once(node_context& node, std::string, const effect_options&, effect_call&) override
    {
        refuse(node, "have an effect that is written down");
    }

private:
    [[nodiscard]] node_host& outer() const noexcept { return writer_.host(); }
    [[noreturn]] static void refuse(const node_context& node, std::string_view what)
    {
        throw error{errc::invalid_configuration, "node '" + std::string{node.node()} + "'",
                    "a node cannot " + std::string{what} +
                        " while it reads a stream that is still written: let it read the whole stream over an edge "
                        "without `streams`, or do it in a node behind it"};
    }

    node_context& writer_;
};

bool is_retracted(const std::exception_ptr& error)
{
    if (!error) return false;
    try {
        std::rethrow_exception(error);
    } catch (const stream_retracted&) {
        return true;
    } catch (...) {
        return false;
    }
}

/** One run of a pipeline. */
class pipeline_run {
public:
    pipeline_run(const std::vector<pipeline_stage>& stages, node_context& writer)
        : stages_{stages}, writer_{writer}, host_{writer}, tasks_{writer.context(), failure_policy::keep_going}
    {
        parts_.resize(stages.size());
        for (std::size_t stage = 0; stage < stages.size(); ++stage)
            for (const std::size_t reader : stages[stage].readers) parts_[reader].writer = stage;
    }

    task<void> go();

private:
    /** What a stage has of a run. */
    struct part {
        std::unique_ptr<node_context> own;  // null for the writer, whose visit this is
        std::unique_ptr<running_stream> gives;
        std::unique_ptr<running_stream> copy;  // of what it reads, if it shares that with others
        std::size_t writer = 0;
        std::exception_ptr error;
        bool is_void = false;  // what it gave, or what it read
    };

    [[nodiscard]] node_context& context_of(std::size_t stage) { return stage == 0 ? writer_ : *parts_[stage].own; }
    void open(std::size_t stage, running_stream* in);
    void open_readers(std::size_t stage);
    task<void> read(std::size_t stage, task<void> work);
    task<void> keep_whole(std::size_t stage);
    void note_outcomes();

    const std::vector<pipeline_stage>& stages_;
    node_context& writer_;
    reader_host host_;
    std::vector<part> parts_;
    scope tasks_;  // the last one: its children refer to what stands above
};

void pipeline_run::open(std::size_t stage, running_stream* in)
{
    const pipeline_stage& what = stages_[stage];
    part& here = parts_[stage];
    if (stage > 0)
        here.own = std::make_unique<node_context>(
            host_, writer_.context(), writer_.branch(),
            node_visit::visit_info{what.name, writer_.visit(), writer_.attempt(), what.scope, state_layout::none});
    if (!what.body->gives()) return tasks_.spawn(read(stage, what.body->read(context_of(stage), *in)));
    here.gives = what.body->open(context_of(stage), in);
    if (what.whole_slot != state_layout::none && !what.body->keeps_whole()) here.gives->record();
    open_readers(stage);
}

void pipeline_run::open_readers(std::size_t stage)
{
    std::vector<std::size_t> readers;
    for (const std::size_t reader : stages_[stage].readers) {
        parts_[reader].is_void = !stages_[reader].body->begins_with_writer(writer_);
        if (!parts_[reader].is_void) readers.push_back(reader);
    }
    running_stream& stream = *parts_[stage].gives;
    if (readers.empty()) return tasks_.spawn(read(stage, stream.drain()));
    if (readers.size() == 1) return open(readers.front(), &stream);
    std::vector<std::unique_ptr<running_stream>> copies = stream.copies(readers.size(), tasks_);
    for (std::size_t i = 0; i < readers.size(); ++i) {
        running_stream& copy = *copies[i];
        parts_[readers[i]].copy = std::move(copies[i]);
        open(readers[i], &copy);
    }
}

/** The end of a line of stages: what it waits for, all of them do. */
task<void> pipeline_run::read(std::size_t stage, task<void> work)
{
    try {
        co_await std::move(work);
    } catch (...) {
        parts_[stage].error = std::current_exception();
    }
}

/** A reader that leaves early does not cut what is kept of the stream. */
task<void> pipeline_run::keep_whole(std::size_t stage)
{
    running_stream& stream = *parts_[stage].gives;
    try {
        if (!stream.has_ended()) co_await stream.drain();
    } catch (...) {
        parts_[stage].error = std::current_exception();
    }
    if (!stream.error() && !parts_[stage].error && !stages_[stage].body->keeps_whole())
        context_of(stage).write({stages_[stage].whole_slot, false, false, stream.take_whole()});
}

void pipeline_run::note_outcomes()
{
    for (std::size_t stage = 1; stage < stages_.size(); ++stage) {
        part& here = parts_[stage];
        const part& before = parts_[here.writer];
        here.is_void |= before.is_void;
        // What failed because its writer did is no failure of its own; its visit, should it come, reads the state.
        if (before.error) here.error = before.error;
        if (before.error || here.is_void) continue;
        auto outcome = std::make_shared<stream_outcome>(
            stream_outcome{std::move(here.own->writes()), here.error});
        writer_.write({stages_[stage].outcome_slot, false, false,
                       value_ptr{make_box<stream_outcome_ptr>(std::move(outcome))}});
    }
}

task<void> pipeline_run::go()
{
    open(0, nullptr);
    co_await tasks_.join();
    for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
        part& here = parts_[stage];
        if (!here.gives) continue;
        if (stages_[stage].whole_slot != state_layout::none) co_await keep_whole(stage);
        if (here.gives->error()) here.error = here.gives->error();
        if (!stages_[stage].body->keeps_whole() || !is_retracted(here.error)) continue;
        here.is_void = true;
        here.error = nullptr;
    }
    if (parts_[0].error) std::rethrow_exception(parts_[0].error);
    note_outcomes();
}

class pipeline_body final : public node_body {
public:
    explicit pipeline_body(std::vector<pipeline_stage> stages) : node_body{true, false}, stages_{std::move(stages)} {}

    void run(node_context&, command&) const override {}
    node_task make(node_context& node) const override { return node_task{run_all(stages_, node)}; }
    const node_body& plain() const noexcept override { return *stages_.front().body; }
    std::optional<std::vector<std::string>> written_keys(const state_layout& keys) const override
    {
        return plain().written_keys(keys);
    }
    bool describe(node_spec& into, const state_layout& keys) const override { return plain().describe(into, keys); }

private:
    static task<void> run_all(const std::vector<pipeline_stage>& stages, node_context& node)
    {
        pipeline_run run{stages, node};
        co_await run.go();
    }

    std::vector<pipeline_stage> stages_;
};

class reader_body final : public node_body {
public:
    reader_body(std::shared_ptr<const stream_body> own, std::uint32_t outcome_slot)
        : node_body{true, false}, own_{std::move(own)}, slot_{outcome_slot}
    {
    }

    void run(node_context&, command&) const override {}
    node_task make(node_context& node) const override
    {
        const value_ptr& kept = node.value_at(slot_);
        const stream_outcome_ptr outcome = kept ? unboxed<stream_outcome_ptr>(*kept) : nullptr;
        if (!outcome || std::exchange(outcome->is_taken, true)) return own_->make(node);
        if (outcome->error) std::rethrow_exception(outcome->error);
        for (state_write& write : outcome->writes) node.write(std::move(write));
        return node_task{[]() -> task<void> { co_return; }()};
    }
    const node_body& plain() const noexcept override { return *own_; }
    std::optional<std::vector<std::string>> written_keys(const state_layout& keys) const override
    {
        return plain().written_keys(keys);
    }
    bool describe(node_spec& into, const state_layout& keys) const override { return plain().describe(into, keys); }

private:
    std::shared_ptr<const stream_body> own_;
    std::uint32_t slot_;
};

}  // namespace

std::string outcome_key_name(std::string_view reader) { return "stream to " + std::string{reader}; }

bool is_outcome_key(const key_type& type) noexcept { return &type == &outcome_type::type; }

any_state_key outcome_key(const std::string& name) { return {name, hash_of_name(name), &outcome_type::type}; }

std::shared_ptr<const node_body> make_pipeline(std::vector<pipeline_stage> stages)
{
    return std::make_shared<pipeline_body>(std::move(stages));
}

std::shared_ptr<const node_body> make_pipeline_reader(std::shared_ptr<const stream_body> own,
                                                      std::uint32_t outcome_slot)
{
    return std::make_shared<reader_body>(std::move(own), outcome_slot);
}

}  // namespace weft::graph_detail
