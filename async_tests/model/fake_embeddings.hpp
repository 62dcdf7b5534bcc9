#pragma once

#include "model/fake_models.hpp"

#include <weft/model/embedding/embedding_model.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fake_models {

/** Gives each text a vector of its length, after a while; fails as it is told to, and then no more. */
class fake_embeddings final : public weft::embedding_model {
public:
    explicit fake_embeddings(std::vector<weft::model_failure> failures = {}) : failures_{std::move(failures)} {}

    [[nodiscard]] std::string_view label() const noexcept override { return "vectors"; }

    std::vector<std::vector<std::string>> asked;
    bool tells_usage = true;

private:
    weft::task<weft::embeddings> do_embed(std::vector<std::string> texts) override
    {
        asked.push_back(texts);
        const std::size_t number = asked.size();
        co_await weft::sleep_for(100ms);
        if (number <= failures_.size()) throw weft::model_error{"vectors", failures_[number - 1]};
        weft::embeddings made;
        for (const std::string& text : texts) made.vectors.push_back({static_cast<float>(text.size()), 1});
        made.usage = tells_usage ? used(static_cast<std::int64_t>(10 * texts.size()), 0) : weft::usage::unknown();
        co_return made;
    }

    std::vector<weft::model_failure> failures_;
};

/** What came of a call: vectors or an error. */
struct ended_embedding {
    ended_embedding() {}
    weft::embeddings made;
    std::optional<weft::errc> code;
};

inline weft::task<ended_embedding> embed(weft::embedding_model& model, std::vector<std::string> texts)
{
    ended_embedding ended;
    try {
        ended.made = co_await model.embed(std::move(texts));
    } catch (const weft::error& e) {
        ended.code = e.code();
    }
    co_return ended;
}

inline weft::task<void> embed_and_note(weft::embedding_model& model, std::vector<std::string> texts,
                                       std::vector<ended_embedding>& all)
{
    ended_embedding ended = co_await embed(model, std::move(texts));
    all.push_back(std::move(ended));
}

}  // namespace fake_models
