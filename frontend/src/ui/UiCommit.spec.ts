import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'

import UiCommit, { type Commit } from './UiCommit.vue'

const git: Commit = {
  commit: '9f2c1e7b0a4d5c6e8f90123456789abcdef01234',
  commit_url: 'https://git.example/team/store/commit/9f2c1e7b0a4d5c6e8f90123456789abcdef01234',
  branch: 'faster-reads',
  pull_request: 7,
  pull_request_url: 'https://git.example/team/store/pull/7',
  subject: 'Read twice as fast',
  dirty: false,
}
const shown = (changed: Partial<Commit> = {}, withSubject = false) =>
  mount(UiCommit, { props: { git: { ...git, ...changed }, withSubject } })

describe('a commit', () => {
  it('is a short name that leads to its page, with branch and request', () => {
    const wrapper = shown()
    const [commit, request] = wrapper.findAll('a')
    expect(commit?.text()).toBe('9f2c1e7b0a')
    expect(commit?.attributes('href')).toBe(git.commit_url)
    expect(commit?.attributes('title')).toBe(git.commit)
    expect(request?.text()).toBe('request 7')
    expect(request?.attributes('href')).toBe(git.pull_request_url)
    expect(wrapper.text()).toContain('faster-reads')
    expect(wrapper.text()).not.toContain('Read twice')
    expect(wrapper.text()).not.toContain('modified')
  })

  it('leads nowhere when its repository has no page', () => {
    const wrapper = shown({ commit_url: null, pull_request_url: null })
    expect(wrapper.findAll('a')).toHaveLength(0)
    expect(wrapper.text()).toContain('9f2c1e7b0a')
    expect(wrapper.text()).toContain('request 7')
  })

  it('never follows an address that is not of a page', () => {
    const wrapper = shown({ commit_url: 'javascript:alert(1)', pull_request_url: 'javascript:alert(1)' })
    expect(wrapper.findAll('a')).toHaveLength(0)
  })

  it('tells its subject when asked, and files that differ from it always', () => {
    const wrapper = shown({ dirty: true }, true)
    expect(wrapper.text()).toContain('Read twice as fast')
    expect(wrapper.text()).toContain('modified')
  })
})
