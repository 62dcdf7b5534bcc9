#include <weft/testing/scripted_model.hpp>

#include <weft/async/sleep.hpp>
#include <weft/base/json/json_text.hpp>

#include <algorithm>
#include <mutex>
#include <stdexcept>

namespace weft::testing {

scripted_turn& scripted_turn::text(std::string piece)
{
    pieces_.emplace_back(text_piece{std::move(piece)});
    return *this;
}

scripted_turn& scripted_turn::reasoning(std::string piece)
{
    pieces_.emplace_back(reasoning_piece{std::move(piece)});
    return *this;
}

scripted_turn& scripted_turn::refusal(std::string piece)
{
    pieces_.emplace_back(refusal_piece{std::move(piece)});
    return *this;
}

scripted_turn& scripted_turn::call(std::string tool, boost::json::object arguments, std::string id)
{
    return raw_call(std::move(tool), to_json_text(arguments), std::move(id));
}

scripted_turn& scripted_turn::raw_call(std::string tool, std::string arguments, std::string id)
{
    pieces_.emplace_back(call_piece{std::move(tool), std::move(arguments), std::move(id)});
    return *this;
}

scripted_turn& scripted_turn::wait(duration span)
{
    pieces_.emplace_back(span);
    return *this;
}

scripted_turn& scripted_turn::used(tokens input, tokens output)
{
    usage_.emplace();
    usage_->input = input;
    usage_->output = output;
    return *this;
}

scripted_turn& scripted_turn::stops(stop_reason reason)
{
    stop_ = reason;
    return *this;
}

scripted_turn& scripted_turn::fails(model_failure failure)
{
    failure_ = std::move(failure);
    return *this;
}

scripted_turn& scripted_turn::fails(errc code, std::string detail)
{
    model_failure failure;
    failure.code = code;
    failure.detail = std::move(detail);
    failure.phase = pieces_.empty() ? model_phase::request : model_phase::stream;
    failure.is_transient = is_transient(code);
    return fails(std::move(failure));
}

scripted_turn& scripted_turn::when(condition holds)
{
    when_ = std::move(holds);
    return *this;
}

scripted_turn& scripted_turn::expects(expectation check)
{
    expectations_.push_back(std::move(check));
    return *this;
}

/** The turns that are left, and what happened; shared with the calls under way. */
struct scripted_model::script {
    mutable std::mutex lock;
    std::vector<scripted_turn> turns;
    std::optional<scripted_turn> otherwise;
    std::vector<chat_request> requests;
    std::vector<std::string> complaints;
    std::size_t calls = 0;

    /** The turn for a request, and its number, from 1. Nothing if there is none. */
    std::pair<std::optional<scripted_turn>, std::size_t> take(const chat_request& request)
    {
        const std::lock_guard guard{lock};
        requests.push_back(request);
        const std::size_t number = requests.size();
        const auto found = std::find_if(turns.begin(), turns.end(), [&](const scripted_turn& turn) {
            return !turn.when_ || turn.when_(request);
        });
        if (found == turns.end()) {
            if (!otherwise) complain(number, "no turn is left for it; its last message is " + last_message(request));
            return {otherwise, number};
        }
        std::optional<scripted_turn> turn{std::move(*found)};
        turns.erase(found);
        return {std::move(turn), number};
    }
    void complain(std::size_t number, const std::string& what)
    {
        complaints.push_back("request " + std::to_string(number) + ": " + what);
    }
    /** @return Why the request is not as expected; empty if it is. */
    std::string look_at(const chat_request& request, const scripted_turn& turn, std::size_t number)
    {
        std::string why;
        for (const auto& check : turn.expectations_) {
            try {
                check(request);
            } catch (const std::exception& e) {
                why = e.what();
                const std::lock_guard guard{lock};
                complain(number, why);
            }
        }
        return why;
    }
    [[nodiscard]] std::string next_call_id()
    {
        const std::lock_guard guard{lock};
        return "call-" + std::to_string(++calls);
    }
    [[nodiscard]] static std::string last_message(const chat_request& request)
    {
        if (request.messages.empty()) return "missing";
        const message& last = request.messages.back();
        return "by " + std::string{name_of(last.role)} + ": '" + last.text() + "'";
    }
};

namespace {

/** Collects what a turn streams. */
class reply_in_progress {
public:
    explicit reply_in_progress(chat_sink& sink) : sink_{sink} {}

    void text(const std::string& piece)
    {
        append<text_part>(piece);
        sink_.on_text(piece);
    }
    void reasoning(const std::string& piece)
    {
        append<reasoning_part>(piece);
        sink_.on_reasoning(piece);
    }
    void refusal(const std::string& piece)
    {
        append<refusal_part>(piece);
        sink_.on_refusal(piece);
    }
    void call(std::string id, const std::string& tool, const std::string& arguments)
    {
        const std::size_t slot = reply.message.tool_calls.size();
        sink_.on_tool_call(slot, id, tool);
        sink_.on_tool_arguments(slot, arguments);
        weft::tool_call& made = reply.message.tool_calls.emplace_back();
        made.id = std::move(id);
        made.name = tool;
        made.arguments = arguments;
        has_delivered = true;
    }

    chat_reply reply;
    bool has_delivered = false;

private:
    template <class Part>
    void append(const std::string& piece)
    {
        auto& content = reply.message.content;
        // Pieces of one kind are one part, as providers give them back; another kind in between begins a new one.
        if (content.empty() || !std::holds_alternative<Part>(content.back())) content.emplace_back(Part{});
        std::get<Part>(content.back()).text += piece;
        has_delivered = true;
    }

    chat_sink& sink_;
};

[[noreturn]] void fail(const std::string& label, model_failure failure, reply_in_progress& so_far)
{
    failure.has_delivered = so_far.has_delivered;
    failure.partial = std::move(so_far.reply);
    // Calls of a reply that failed are never carried out: their arguments may be half there.
    failure.partial.message.tool_calls.clear();
    throw model_error{label, std::move(failure)};
}

model_failure rejected(std::string why)
{
    model_failure failure;
    failure.code = errc::model_rejected;
    failure.phase = model_phase::request;
    failure.detail = std::move(why);
    return failure;
}

}  // namespace

scripted_model::scripted_model(std::string label) : label_{std::move(label)}, script_{std::make_shared<script>()} {}

scripted_model::~scripted_model() = default;

scripted_model& scripted_model::then(scripted_turn turn)
{
    const std::lock_guard guard{script_->lock};
    script_->turns.push_back(std::move(turn));
    return *this;
}

scripted_model& scripted_model::then(const scripted_turn& turn, std::size_t times)
{
    const std::lock_guard guard{script_->lock};
    script_->turns.insert(script_->turns.end(), times, turn);
    return *this;
}

scripted_model& scripted_model::otherwise(scripted_turn turn)
{
    const std::lock_guard guard{script_->lock};
    script_->otherwise = std::move(turn);
    return *this;
}

std::vector<chat_request> scripted_model::requests() const
{
    const std::lock_guard guard{script_->lock};
    return script_->requests;
}

std::size_t scripted_model::left() const
{
    const std::lock_guard guard{script_->lock};
    return script_->turns.size();
}

// A turn that was never asked for means that the agent stopped earlier than the test believes.
void scripted_model::assert_complete() const
{
    const std::lock_guard guard{script_->lock};
    std::string wrong;
    for (const std::string& complaint : script_->complaints) wrong += "\n  " + complaint;
    if (!script_->turns.empty())
        wrong += "\n  " + std::to_string(script_->turns.size()) + " turns were never asked for, after " +
                 std::to_string(script_->requests.size()) + " requests";
    if (!wrong.empty()) throw std::logic_error{"the scripted model '" + label_ + "':" + wrong};
}

// The turn is taken before anything is awaited, so that of two calls at once each gets its own.
task<chat_reply> scripted_model::do_reply(chat_request request, chat_sink& sink)
{
    // A copy: the model may be gone when a reply comes that is slow, or that a test has given up.
    const std::shared_ptr<script> script = script_;
    const std::string label = label_;
    auto [turn, number] = script->take(request);
    reply_in_progress so_far{sink};
    if (!turn) fail(label, rejected("the script has no turn for this request"), so_far);
    if (std::string why = script->look_at(request, *turn, number); !why.empty())
        fail(label, rejected(std::move(why)), so_far);
    so_far.reply.message.role = role::assistant;
    so_far.reply.id = "reply-" + std::to_string(number);
    so_far.reply.model = request.model.empty() ? label : request.model;
    // A failure before the first piece is one of the request: no reply has begun then.
    if (!turn->failure_ || !turn->pieces_.empty()) sink.on_started(so_far.reply.id, so_far.reply.model);
    for (const scripted_turn::piece& next : turn->pieces_) {
        if (const auto* const span = std::get_if<scripted_turn::duration>(&next)) co_await sleep_for(*span);
        else if (const auto* const said = std::get_if<scripted_turn::text_piece>(&next)) so_far.text(said->text);
        else if (const auto* const thought = std::get_if<scripted_turn::reasoning_piece>(&next))
            so_far.reasoning(thought->text);
        else if (const auto* const refused = std::get_if<scripted_turn::refusal_piece>(&next))
            so_far.refusal(refused->text);
        else if (const auto* const call = std::get_if<scripted_turn::call_piece>(&next))
            so_far.call(call->id.empty() ? script->next_call_id() : call->id, call->tool, call->arguments);
        if (sink.is_full()) co_await sink.wait_for_room();
    }
    so_far.reply.usage = turn->usage_.value_or(usage::unknown());
    sink.on_usage(so_far.reply.usage);
    if (turn->failure_) fail(label, std::move(*turn->failure_), so_far);
    const bool has_calls = !so_far.reply.message.tool_calls.empty();
    so_far.reply.stop = turn->stop_.value_or(has_calls ? stop_reason::tool_calls : stop_reason::stop);
    co_return std::move(so_far.reply);
}

}  // namespace weft::testing
