#pragma once

#include "fake_models.hpp"

#include <weft/async/task.hpp>
#include <weft/base/budget_ledger.hpp>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

/** Fake calls that a budget pays for. */
namespace fake_models {

using ledger_ptr = std::shared_ptr<weft::budget_ledger>;

inline ledger_ptr run_with(const weft::budget& limits)
{
    return std::make_shared<weft::budget_ledger>("run 17", limits);
}

inline weft::chat_request paid_by(ledger_ptr ledger)
{
    weft::chat_request request = question();
    request.budget = std::move(ledger);
    return request;
}

/** A call that writes so many characters, four at once, and reports this usage. */
inline fake_call writes(std::size_t characters, weft::usage usage)
{
    fake_call call;
    call.pieces.assign(characters / 4, "word");
    call.gap = 1ms;
    call.usage = usage;
    return call;
}

inline weft::task<void> ask_and_note(weft::chat_model& model, ledger_ptr ledger, std::vector<ended_call>& all)
{
    weft::chat_request request = paid_by(std::move(ledger));
    ended_call ended = co_await ask(model, std::move(request));
    all.push_back(std::move(ended));
}

}  // namespace fake_models
