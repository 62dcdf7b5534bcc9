#pragma once

#include <weft/testing/scripted_endpoint.hpp>

namespace weft::testing {

/** Teaches an endpoint the models of the sample graph *parallel research*, for any topic and any
 *  number of runs: plan, three researchers at once, write, judge, write once more, judge.
 *
 *  Who asks is seen from the system message, case and all:
 *
 *  - `You plan`      answers with three numbered lines, one angle each: `1. web: …`, `2. papers: …`,
 *                    `3. data: …`.
 *  - `You research`  answers with the findings of `web`, `papers` or `data`: whichever a line
 *                    `Angle: …` of the user message names first, else the system message, else the
 *                    user message.
 *  - `You write`     answers with a report: the first draft, or the second one when the user message
 *                    holds the first draft or the judge's feedback.
 *  - `You judge`     answers with `{"score":0.62,"feedback":"…"}`, and with 0.9 when the user
 *                    message holds the second draft.
 *
 *  The topic is what follows `Topic:` in the user message, up to the end of the line, else the first
 *  line of that message.
 *
 *  The models take their time as real ones do: about 12 s for the whole, less by the `pace` of the
 *  endpoint.
 */
void parallel_research_script(scripted_endpoint& endpoint);

}  // namespace weft::testing
