#include <weft/model/decorator/cached_embedding_model.hpp>

#include <weft/async/group/single_flight_cache_operations.hpp>
#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/wait/remote_signal.hpp>
#include <weft/base/error.hpp>

#include "embedding_outcome.hpp"

#include <boost/assert.hpp>

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace weft {

template class single_flight_cache<std::vector<float>>;

namespace {

/** The texts of a call, each once: looked up twice, one would wait for itself. */
struct distinct_texts {
    explicit distinct_texts(std::vector<std::string> all)
    {
        std::unordered_map<std::string, std::size_t> known;
        for (std::string& text : all) {
            const auto [found, is_new] = known.try_emplace(text, texts.size());
            index.push_back(found->second);
            if (is_new) texts.push_back(std::move(text));
        }
    }

    std::vector<std::string> texts;
    std::vector<std::size_t> index;  // in `texts`, of each text of the call
};

}  // namespace

cached_embedding_model::cached_embedding_model(std::shared_ptr<embedding_model> model, embedding_cache_options options)
    : model_{std::move(model)}, vectors_{{options.entries_max, options.bytes_max}}, keep_for_{options.keep_for}
{
    BOOST_ASSERT_MSG(model_, "a cached model needs a model to call");
}

/** The texts of one call, each with its dealings with the cache and the vector that came of them. */
struct cached_embedding_model::call_texts {
    // Declared: see docs/COMPILERS.md.
    call_texts() {}

    std::vector<std::string> texts;
    std::vector<vectors::lookup> places;
    std::vector<vectors::value_pointer> found;  // null: not yet
};

/** Asks for the texts that this call leads, together, and tells those who wait for them. */
task<usage> cached_embedding_model::embed_leaders(call_texts& call)
{
    const task_context& context = co_await this_task::context();
    std::vector<std::size_t> led;
    std::vector<std::string> asked;
    for (std::size_t i = 0; i != call.places.size(); ++i) {
        if (call.places[i].now_is() != vectors::lookup::state::leads) continue;
        led.push_back(i);
        asked.push_back(call.texts[i]);
    }
    if (led.empty()) co_return usage{};
    model_detail::embedding_outcome outcome = co_await model_detail::try_embed(model_, std::move(asked));
    if (!outcome.made) {
        // A stop of this call is nothing to the others: one of them takes the lead.
        const bool is_stopped = context.scope->stop_requested() || code_of(outcome.error) == errc::cancelled;
        if (!is_stopped)
            for (const std::size_t i : led) call.places[i].fail(outcome.error);
        std::rethrow_exception(outcome.error);
    }
    for (std::size_t i = 0; i != led.size(); ++i) {
        auto vector = std::make_shared<const std::vector<float>>(std::move(outcome.made->vectors[i]));
        const std::size_t bytes = call.texts[led[i]].size() + vector->size() * sizeof(float);
        call.places[led[i]].succeed(vector, {bytes, context.loop->now() + keep_for_});
        call.found[led[i]] = std::move(vector);
    }
    co_return outcome.made->usage;
}

/** Takes the vectors that are there. @return  Whether none is missing. */
bool cached_embedding_model::take_found(call_texts& call, time_point now)
{
    bool is_whole = true;
    for (std::size_t i = 0; i != call.places.size(); ++i) {
        vectors::lookup& place = call.places[i];
        if (call.found[i]) continue;
        if (place.now_is() == vectors::lookup::state::waits) place.look(now);
        if (place.now_is() == vectors::lookup::state::failed) std::rethrow_exception(place.error());
        if (place.now_is() == vectors::lookup::state::found) call.found[i] = place.value();
        is_whole = is_whole && call.found[i];
    }
    return is_whole;
}

task<embeddings> cached_embedding_model::do_embed(std::vector<std::string> texts)
{
    serial_loop& loop = co_await this_task::loop();
    distinct_texts distinct{std::move(texts)};
    const auto news = make_counted<remote_signal>();
    call_texts call;
    call.texts = std::move(distinct.texts);
    call.found.resize(call.texts.size());
    call.places.reserve(call.texts.size());
    for (const std::string& text : call.texts) call.places.push_back(vectors_.look_up(text, news, loop.now()));
    embeddings made;
    // What this call leads it asks for before it waits, so that no two calls wait for each other.
    for (;;) {
        const usage used = co_await embed_leaders(call);
        made.usage += used;
        if (take_found(call, loop.now())) break;
        const bool leads = std::any_of(call.places.begin(), call.places.end(), [](const vectors::lookup& place) {
            return place.now_is() == vectors::lookup::state::leads;
        });
        if (!leads) co_await news->wait();
    }
    for (const std::size_t i : distinct.index) made.vectors.push_back(*call.found[i]);
    co_return made;
}

single_flight_counts cached_embedding_model::counts() const { return vectors_.counts(); }

}  // namespace weft
