/**
 * What a group of processes has used, from Linux's `/proc` (proc_pid_stat(5), proc_pid_status(5)). A server leads a group
 * of its own, so that its worker processes, and all of their threads, are counted with it.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** `USER_HZ`, the unit of times in `/proc/<pid>/stat`: 100 on every architecture for which there is a Node.js. */
const TICKS_PER_SECOND = 100;

/** Fields of `stat` by their numbers in the manual, from 1. */
const GROUP_FIELD = 5;
const USER_TICKS_FIELD = 14;
const SYSTEM_TICKS_FIELD = 15;

/** The name of the program, the second field, may hold anything; the third begins after its closing parenthesis. */
const FIRST_FIELD_AFTER_NAME = 3;

/** User and system time of all processes of the group, in steps of 10 ms. */
export function readCpuSeconds(groupId: number): number {
  const ticks = listMembers(groupId).map(({ fields }) => fieldOf(fields, USER_TICKS_FIELD) + fieldOf(fields, SYSTEM_TICKS_FIELD));
  return sum(ticks) / TICKS_PER_SECOND;
}

/** User and system time of one process with all of its threads, in steps of 10 ms. */
export function readProcessCpuSeconds(pid: number): number {
  const fields = readProcessFile(String(pid), 'stat').replace(/^.*\) /s, '').split(' ');
  return (fieldOf(fields, USER_TICKS_FIELD) + fieldOf(fields, SYSTEM_TICKS_FIELD)) / TICKS_PER_SECOND;
}

/** The most memory that each process of the group has held at once, added up. */
export function readPeakMemoryMib(groupId: number): number {
  const kibibytes = listMembers(groupId).map(({ pid }) => Number(/^VmHWM:\s+(\d+) kB/m.exec(readProcessFile(pid, 'status'))?.[1] ?? 0));
  return sum(kibibytes) / 1024;
}

interface Member {
  readonly pid: string;
  readonly fields: readonly string[];
}

function listMembers(groupId: number): readonly Member[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ pid, fields: readProcessFile(pid, 'stat').replace(/^.*\) /s, '').split(' ') }))
    .filter(({ fields }) => fieldOf(fields, GROUP_FIELD) === groupId);
}

/** @returns Nothing for a process that has just ended. */
function readProcessFile(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}

function fieldOf(fields: readonly string[], number: number): number {
  return Number(fields[number - FIRST_FIELD_AFTER_NAME] ?? 0);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
